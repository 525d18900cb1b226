"""The passes that make blocks of a page image, in their order.

A page's ``PageState`` goes through ``PAGE_PASSES``; a strategy that reads with a model adds a pass of its own. Each
pass is one function in a file of its name. Its docstring says which attributes it reads and which it changes; the
options and the models are open to all. A pass looks at no other page, and sets attributes anew instead of changing
their values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from galley.parsing.blocks.add_comments import add_comments
from galley.parsing.blocks.add_watermarks import add_watermarks
from galley.parsing.blocks.build_blocks import build_blocks
from galley.parsing.blocks.drop_ordinary_styles import drop_ordinary_styles
from galley.parsing.blocks.join_code_zones import join_code_zones
from galley.parsing.blocks.read_lone_formula import read_lone_formula
from galley.parsing.blocks.read_xfa_form import read_xfa_form
from galley.parsing.blocks.report_unread_text import report_unread_text
from galley.parsing.blocks.stand_columns_up import stand_columns_up
from galley.parsing.blocks.tie_footnotes import tie_footnotes
from galley.parsing.blocks.write_inline_formulas import write_inline_formulas
from galley.parsing.lines.join_contents_entries import join_contents_entries
from galley.parsing.lines.join_drop_caps import join_drop_caps
from galley.parsing.lines.join_form_values import join_form_values
from galley.parsing.lines.join_justified_lines import join_justified_lines
from galley.parsing.lines.join_list_marks import join_list_marks
from galley.parsing.lines.measure_body_text import measure_body_text
from galley.parsing.lines.read_lines import read_lines
from galley.parsing.lines.read_other_scripts import read_other_scripts
from galley.parsing.lines.read_picture_text import read_picture_text
from galley.parsing.options import ParseOptions
from galley.parsing.page.check_guessed_text import check_guessed_text
from galley.parsing.page.choose_text_source import choose_text_source
from galley.parsing.page.correct_orientation import correct_orientation
from galley.parsing.page.detect_regions import detect_regions
from galley.parsing.page.lay_columns_level import lay_columns_level
from galley.parsing.page.read_unknown_glyphs import read_unknown_glyphs
from galley.parsing.page.state import PageState
from galley.parsing.page.tools import PageTools
from galley.parsing.regions.add_aligned_tables import add_aligned_tables
from galley.parsing.regions.add_ruled_tables import add_ruled_tables
from galley.parsing.regions.drop_implausible_regions import drop_implausible_regions
from galley.parsing.regions.drop_regions_over_fields import drop_regions_over_fields
from galley.parsing.regions.extend_tables import extend_tables
from galley.parsing.regions.fit_figures import fit_figures
from galley.parsing.regions.recheck_regions import recheck_regions
from galley.parsing.zones.absorb_lines import absorb_lines
from galley.parsing.zones.assign_lines import assign_lines
from galley.parsing.zones.group_loose_lines import group_loose_lines
from galley.parsing.zones.join_captions import join_captions
from galley.parsing.zones.join_equation_numbers import join_equation_numbers
from galley.parsing.zones.join_text_zones import join_text_zones
from galley.parsing.zones.label_footnotes import label_footnotes
from galley.parsing.zones.label_furniture import label_furniture
from galley.parsing.zones.order_zone_lines import order_zone_lines
from galley.parsing.zones.order_zones import order_zones
from galley.parsing.zones.part_contents import part_contents
from galley.parsing.zones.split_formula_zones import split_formula_zones
from galley.parsing.zones.split_lines_at_regions import split_lines_at_regions

if TYPE_CHECKING:
    from galley.parsing.trace.page_trace import PageTrace

PagePass = Callable[[PageState, PageTools], None]

PAGE_PASSES: tuple[PagePass, ...] = (
    # page: the image and where its text comes from
    check_guessed_text,
    choose_text_source,
    read_unknown_glyphs,
    correct_orientation,
    detect_regions,
    lay_columns_level,
    # lines
    read_lines,
    read_other_scripts,
    read_picture_text,
    join_form_values,
    join_contents_entries,
    join_drop_caps,
    join_list_marks,
    join_justified_lines,
    measure_body_text,
    # regions: the detector's word against the lines
    drop_regions_over_fields,
    drop_implausible_regions,
    fit_figures,
    extend_tables,
    add_ruled_tables,
    add_aligned_tables,
    recheck_regions,
    # zones: every line in one of them
    split_lines_at_regions,
    assign_lines,
    absorb_lines,
    order_zone_lines,
    group_loose_lines,
    order_zones,
    join_text_zones,
    split_formula_zones,
    join_equation_numbers,
    join_captions,
    label_furniture,
    label_footnotes,
    part_contents,
    # blocks
    read_lone_formula,
    read_xfa_form,
    join_code_zones,
    write_inline_formulas,
    build_blocks,
    drop_ordinary_styles,
    tie_footnotes,
    add_comments,
    add_watermarks,
    stand_columns_up,
    report_unread_text,
)


def run_page_passes(page: PageState, tools: PageTools, passes: Sequence[PagePass] = PAGE_PASSES) -> PageState:
    """Run passes on a page in their order; returns the page, which is changed in place.

    With ``trace_passes`` among the options, what each pass does is written there.
    """
    trace = _trace(page, tools.options)
    try:
        for page_pass in passes:
            page_pass(page, tools)
            if trace is not None:
                trace.after(page_pass, page)
    finally:
        if trace is not None:
            trace.close()
    return page


def _trace(page: PageState, options: ParseOptions) -> PageTrace | None:
    """The trace of a page, where one is asked for."""
    if options.trace_passes is None:
        return None
    from galley.parsing.trace.page_trace import PageTrace  # drawing is not needed otherwise

    return PageTrace(options.trace_passes, page)
