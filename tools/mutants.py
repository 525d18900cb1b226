"""Small faults of a Python file: which there are, and the file's code with one of them planted."""

from __future__ import annotations

import ast
import copy
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

_SWAPPED: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Break: ast.Continue,
    ast.Continue: ast.Break,
}
_PAIRS = [
    "min max",
    "any all",
    "argmax argmin",
    "maximum minimum",
    "zeros ones",
    "append extend",
    "cumsum array",
]
_NAMES = {a: b for pair in _PAIRS for a, b in (pair.split(), reversed(pair.split()))}


@dataclass(frozen=True)
class Mutant:
    """A fault: the ``variant``-th change of the ``place``-th mutable node of a file.

    line, column: its number, and where in the line's ``code`` it is. was, now: the changed expression or statement.
    version: of the file.
    """

    path: Path
    place: int
    variant: int
    line: int
    column: int
    code: str
    was: str
    now: str
    version: str

    @property
    def id(self) -> str:
        return f"{self.path.name}:{self.version}:{self.place}:{self.variant}"

    @property
    def key(self) -> tuple[str, str, int, str, str]:
        """What tells it apart from others even after other lines of the file have changed."""
        return self.path.name, self.code, self.column, self.was, self.now


def mutants_of(path: Path) -> list[Mutant]:
    """All mutants of a file."""
    text = path.read_text(encoding="utf-8")
    lines, version = text.splitlines(), hashlib.sha256(text.encode()).hexdigest()[:8]
    return [
        Mutant(
            path,
            place,
            number,
            node.lineno,
            node.col_offset - len(lines[node.lineno - 1]) + len(lines[node.lineno - 1].lstrip()),
            lines[node.lineno - 1].strip(),
            _shown(node),
            _shown(changed),
            version,
        )
        for place, node in enumerate(_mutable(ast.parse(text)))
        for number, changed in enumerate(_variants(node))
    ]


def planted(mutant: Mutant) -> CodeType:
    """The code of the mutant's module."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    node = list(_mutable(tree))[mutant.place]
    changed = _variants(node)[mutant.variant]
    mutated = ast.fix_missing_locations(_Replace(node, changed).visit(tree))
    return compile(mutated, str(mutant.path), "exec", dont_inherit=True)


class _Replace(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old, self._new = old, ast.copy_location(new, old)

    def visit(self, node: ast.AST) -> ast.AST:
        return self._new if node is self._old else self.generic_visit(node)


def _mutable(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes with variants, in order; not in annotations, decorators, messages of errors, assertions and logging."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr)):
                continue
            if isinstance(node, ast.keyword) and node.arg == "strict":
                continue
            if isinstance(node, ast.Expr) and ast.unparse(node).startswith("_log."):
                continue
            if hasattr(node, "lineno") and _variants(node):
                yield node
            yield from _mutable(node)


def _variants(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.Compare):
        return [
            _with(node, ops=[*node.ops[:i], _SWAPPED[type(op)](), *node.ops[i + 1 :]])
            for i, op in enumerate(node.ops)
        ]
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)):
        swapped = [_with(node, op=_SWAPPED[type(node.op)]())] if type(node.op) in _SWAPPED else []
        return [*swapped, ast.Pass()] if isinstance(node, ast.AugAssign) else swapped
    if isinstance(node, ast.UnaryOp):
        return [node.operand] if isinstance(node.op, (ast.Not, ast.Invert, ast.USub)) else []
    if isinstance(node, ast.Constant):
        return _other_constants(node)
    if isinstance(node, ast.Slice):
        return [_with(node, **{end: None}) for end in ("lower", "upper") if getattr(node, end) is not None]
    if isinstance(node, (ast.If, ast.IfExp)):
        return [_with(node, test=ast.UnaryOp(ast.Not(), node.test))]
    if isinstance(node, ast.comprehension):
        return []
    if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load):
        field = "id" if isinstance(node, ast.Name) else "attr"
        other = _NAMES.get(getattr(node, field))
        return [_with(node, **{field: other})] if other else []
    if isinstance(node, (ast.Break, ast.Continue)):
        return [_SWAPPED[type(node)]()]
    kept = isinstance(node, ast.Assign) and not isinstance(node.targets[0], (ast.Attribute, ast.Subscript))
    if (isinstance(node, ast.Assign) and not kept) or (isinstance(node, ast.Expr) and _calls(node)):
        return [ast.Pass()]
    return []


def _other_constants(node: ast.Constant) -> list[ast.AST]:
    if isinstance(node.value, bool):
        return [ast.Constant(not node.value)]
    if isinstance(node.value, (int, float)):
        return [ast.Constant(node.value + 1)]
    return []


def _calls(node: ast.Expr) -> bool:
    return isinstance(node.value, (ast.Call, ast.Yield, ast.YieldFrom))


def _with(node: ast.AST, **fields: object) -> ast.AST:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _shown(node: ast.AST) -> str:
    """A node as code; of an ``if`` its condition."""
    if isinstance(node, ast.If):
        return f"if {ast.unparse(node.test)}"
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
