"""HunyuanOCR: reads pages and regions."""

from galley.targets.profiles.profile import Profile
from galley.targets.prompt import Task

PROFILE = Profile(
    name="HunyuanOCR",
    model_types=frozenset({"hunyuan_vl"}),
    prompts={
        Task.TEXT: "Extract the text in the image.",
        Task.TABLE: "Parse the table in the image into HTML.",
        Task.FORMULA: "Identify the formula in the image and represent it using LaTeX format.",
        Task.PAGE: (
            "Extract all information from the main body of the document image and represent it in markdown "
            "format, ignoring headers and footers. Tables should be expressed in HTML format, formulas in "
            "the document should be represented using LaTeX format, and the parsing should be organized "
            "according to the reading order."
        ),
    },
    # Its position ids number the images of a whole batch, so a prompt read beside others is read differently.
    batch_prefill=False,
)
