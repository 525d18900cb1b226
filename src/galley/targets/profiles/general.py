"""Instructions in plain English, for models that were not trained on prompts of their own."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import Task

PROMPTS = {
    Task.TEXT: "Read all text in this image in reading order. Output only the text.",
    Task.TABLE: "Write the table in this image as HTML, with rowspan and colspan. Output only the table.",
    Task.FORMULA: "Write the formula in this image as LaTeX, without delimiters. Output only the LaTeX.",
    Task.PAGE: (
        "Convert this page to Markdown in reading order. Write headings with #, tables as HTML and formulas "
        "as LaTeX between $$. Leave out page headers, page footers and page numbers. Output Markdown only."
    ),
}

PROFILE = Profile(name="general", model_types=frozenset(), prompts=PROMPTS)
