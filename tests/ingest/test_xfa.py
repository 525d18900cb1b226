"""Dynamic XFA forms: their XML instead of the page that says that they cannot be shown."""

from __future__ import annotations

import pytest

import galley
from galley.document import Label

TEMPLATE = """<template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform name="claim" layout="tb">
<draw><value><text>Claim for damage</text></value></draw>
<subform name="who">
 <field name="town" x="90mm" y="20mm"><ui><choiceList/></ui><caption><value><text>Town</text></value></caption>
  <items><text>Ghent</text><text>Bruges</text></items><items save="1"><text>g</text><text>b</text></items></field>
 <field name="owner" x="5mm" y="20mm"><ui><textEdit/></ui><caption><value><text>Owner</text></value></caption></field>
 <field name="hurt" x="5mm" y="40mm"><ui><checkButton/></ui><caption><value><text>Somebody was hurt</text></value>
  </caption><items><integer>1</integer><integer>0</integer></items></field>
 <field name="office" presence="hidden"><ui><textEdit/></ui><value><text>for the office</text></value></field>
</subform>
<exclGroup name="light">
 <field><ui><checkButton shape="round"/></ui><caption><value><text>day</text></value></caption>
  <items><text>d</text></items></field>
 <field><ui><checkButton shape="round"/></ui><caption><value><text>night</text></value></caption>
  <items><text>n</text></items></field></exclGroup>
<subform name="things" layout="table"><subform layout="row"><draw><value><text>Thing</text></value></draw>
 <draw><value><text>Worth</text></value></draw></subform>
 <subform name="thing" layout="row"><field name="what"><ui><textEdit/></ui></field>
 <field name="worth"><ui><numericEdit/></ui></field></subform></subform>
</subform></template>"""
DATA = """<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><claim>
<who><town>b</town><owner>Jan Maes</owner><hurt>0</hurt></who><light>n</light>
<things><thing><what>Fence</what><worth>80</worth></thing><thing><what>Gate</what><worth>45</worth></thing></things>
</claim></xfa:data></xfa:datasets>"""


def form(template: str = TEMPLATE, data: str = DATA, dynamic: bool = True) -> bytes:
    page = b"BT /F1 12 Tf 72 700 Td (Please wait... your viewer needs Adobe Reader 8 or higher.) Tj ET"
    streams = [page, template.encode(), data.encode()]
    contents, xml, values = (b"<</Length %d>>\nstream\n%b\nendstream" % (len(s), s) for s in streams)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R/AcroForm 6 0 R%b>>" % (b"/NeedsRendering true" if dynamic else b""),
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        contents,
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Fields[]/XFA[(template) 7 0 R (datasets) 8 0 R]>>",
        xml,
        values,
    ]
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 9\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % at for at in offsets)
    return bytes(out + b"trailer\n<</Size 9/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % start)


@pytest.mark.parametrize("dynamic", [True, False])
def test_the_form_is_read_and_not_its_placeholder(dynamic: bool) -> None:
    document = galley.parse(form(dynamic=dynamic))
    texts = [block.content for block in document.blocks if block.label is not Label.TABLE]
    assert texts == [
        "Claim for damage",
        "Owner: Jan Maes",
        "Town: Bruges",
        "[ ] Somebody was hurt",
        "( ) day (x) night",
    ]
    (table,) = document.tables
    assert [cell.text for cell in table.cells] == ["Thing", "Worth", "Fence", "80", "Gate", "45"]
    fields = {(field.name, field.type): field.value for field in document.pages[0].fields}
    assert fields["owner", "text"] == "Jan Maes" and fields["hurt", "checkbox"] is False


@pytest.mark.parametrize(
    ("template", "data", "reason"),
    [
        ("<template><subform><draw><value><arc/></value></draw></subform></template>", DATA, "without text"),
        (f'<!DOCTYPE t [<!ENTITY e "x">]>{TEMPLATE}', DATA, "entities"),
        (TEMPLATE, "<datasets>", "damaged"),
        ("<other/>", DATA, "no template"),
    ],
)
def test_a_form_that_cannot_be_read_is_reported(template: str, data: str, reason: str) -> None:
    document = galley.parse(form(template, data))
    assert not document.blocks
    (failure,) = document.failures
    assert "dynamic XFA form" in failure.message and reason in failure.message
