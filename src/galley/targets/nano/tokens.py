"""The vocabulary's fixed part: control tokens, task prompts and the markup that counts as one token."""

from __future__ import annotations

from pathlib import Path

from tokenizers import Tokenizer

from galley.targets.prompt import Task

PAD, EOS, MASK = "<|pad|>", "<|eos|>", "<|mask|>"
BREAK, UNREAD = "<|break|>", "<|unread|>"
"""BREAK stands between groups of lines of a reading, UNREAD for columns that the recogniser read nothing
in."""


def prompt_token(task: Task) -> str:
    """The token that asks for a task; the response follows it."""
    return f"<|{task.value}|>"


CONTROL = [PAD, EOS, MASK, BREAK, UNREAD, *map(prompt_token, Task)]

MARKUP = [
    *("<table><tr><td>", "</td><td>", "</td></tr><tr><td>", "</td></tr></table>", "<table>", "</table>"),
    *("<tr>", "</tr>", "<td>", "</td>", "</td><td", "</td></tr><tr><td", "<table><tr><td"),
    *(' colspan="', ' rowspan="', '">', "\n\n", "\n", "\n\n# ", "\n\n## ", "\n\n### ", "# ", "## ", "### "),
    *("\n\n$$\n", "\n$$", "$$\n"),
]
"""Tags and Markdown that are one token, so that a cell costs one token beside its text."""


class Vocabulary:
    """A trained tokenizer and the ids of its control tokens."""

    def __init__(self, tokenizer: Tokenizer):
        self.tokenizer = tokenizer
        self.size: int = tokenizer.get_vocab_size()
        self.pad, self.eos, self.mask, self.brk, self.unread = (self.id_of(token) for token in CONTROL[:5])
        self.markup = frozenset(self.id_of(token) for token in MARKUP)
        self.open = frozenset(self.id_of(token) for token in MARKUP if "<td" in token and token[-1] != ">")
        self.close = frozenset([self.id_of('">')])
        self.tasks = {task: self.id_of(prompt_token(task)) for task in Task}

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read a tokenizer file."""
        return cls(Tokenizer.from_file(str(path)))

    def id_of(self, token: str) -> int:
        """Id of a token.

        Raises:
            ValueError: the tokenizer has no such token.
        """
        found = self.tokenizer.token_to_id(token)
        if found is None:
            raise ValueError(f"the tokenizer has no token {token!r}")
        return int(found)

    def encode(self, text: str) -> list[int]:
        """Token ids of a text."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def decode(self, ids: list[int]) -> str:
        """Text of a response; control tokens are left out."""
        return str(self.tokenizer.decode(ids, skip_special_tokens=True))
