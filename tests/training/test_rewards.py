"""Rewards and GRPO."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from galley.targets.prompt import Task
from galley.training.grpo import GrpoSettings, advantages, grpo_loss, teaches
from galley.training.rewards import formula_reward, reward, table_reward, text_reward, well_formed_latex

TABLE = "<table><tr><td>a</td><td>bee</td></tr><tr><td>c</td><td>dee</td></tr></table>"


def test_truth_has_full_reward_and_nothing_none() -> None:
    for task, truth in (
        (Task.TEXT, "a word"),
        (Task.TABLE, TABLE),
        (Task.FORMULA, r"\frac{a}{b}"),
        (Task.PAGE, "# A"),
    ):
        assert reward(task, truth, truth) == pytest.approx(1.0)
        assert reward(task, "", truth) == 0.0
        assert 0 <= reward(task, "nonsense", truth) < 0.5


def test_text_reward_is_edit_similarity() -> None:
    assert text_reward("kitten", "sitting") == pytest.approx(1 - 3 / 7)


def test_tables_need_structure_and_content() -> None:
    wrong_text = table_reward(TABLE.replace("bee", "fly"), TABLE)
    lost_cell = table_reward(TABLE.replace("<td>c</td>", ""), TABLE)
    assert 0.5 < wrong_text < 1 and 0.5 < lost_cell < 1
    assert table_reward(TABLE.removesuffix("</table>"), TABLE) <= 0.5
    assert table_reward(TABLE + "<table>", TABLE) <= 0.5


def test_running_on_is_punished() -> None:
    once = TABLE.replace("</table>", "<tr><td>e</td><td>f</td></tr></table>")
    many = TABLE.replace("</table>", "<tr><td>e</td><td>f</td></tr>" * 20 + "</table>")
    assert table_reward(many, TABLE) < 0.2 < table_reward(once, TABLE)


def test_formulas_are_compared_as_formulas() -> None:
    assert formula_reward(r"\mathrm{x} + y", r"x+y") == pytest.approx(formula_reward("x+y", "x+y"), abs=0.35)
    assert formula_reward(r"\frac{a}{b", r"\frac{a}{b}") < 0.5


@pytest.mark.parametrize(
    ("latex", "good"),
    [
        (r"\frac{a}{b}", True),
        (r"\{ a \}", True),
        (r"\left( x \right.", True),
        (r"\begin{cases} a \end{cases}", True),
        (r"\frac{a}{b", False),
        ("}{", False),
        (r"\left( x", False),
        (r"\begin{cases} a \end{matrix}", False),
    ],
)
def test_well_formed(latex: str, good: bool) -> None:
    assert well_formed_latex(latex) is good


def test_advantages_are_standardised_within_a_group() -> None:
    rewards = np.array([[0.0, 1.0, 0.5, 0.5], [0.3, 0.3, 0.3, 0.3]])
    found = advantages(rewards)
    np.testing.assert_allclose(found[0].mean(), 0, atol=1e-12)
    np.testing.assert_allclose(found[0].std(), 1)
    assert not found[1].any()
    assert teaches(rewards).tolist() == [True, False]


def loss(ratio: float, advantage: float, **other: float) -> float:
    values = {"old": -1.0, "reference": -1.0, "sampled": -1.0, **other}
    tensors = {name: torch.tensor([value]) for name, value in values.items()}
    policy = tensors["old"] + np.log(ratio)
    return float(
        grpo_loss(
            policy,
            **tensors,
            advantage=torch.tensor([advantage]),
            counted=torch.tensor([True]),
            settings=GrpoSettings(kl=0.0),
        )
    )


def test_clipping_is_asymmetric() -> None:
    assert loss(1.1, 1.0) == pytest.approx(-1.1)
    assert loss(2.0, 1.0) == pytest.approx(-1.28)
    assert loss(0.5, -1.0) == pytest.approx(0.8)
    assert loss(2.0, -1.0) == pytest.approx(2.0)


def test_the_correction_for_other_kernels_is_capped() -> None:
    assert loss(1.0, 1.0, sampled=-1.5) == pytest.approx(-np.exp(0.5))
    assert loss(1.0, 1.0, sampled=-9.0) == pytest.approx(-2.0)


def test_truncated_rollouts_do_not_count_and_kl_does() -> None:
    logprobs = torch.tensor([-1.0, -2.0, -1.0], requires_grad=True)
    total = grpo_loss(
        logprobs,
        logprobs.detach(),
        torch.tensor([-1.0, -1.5, -7.0]),
        logprobs.detach(),
        torch.tensor([1.0, -1.0, 5.0]),
        torch.tensor([True, True, False]),
        GrpoSettings(kl=0.1),
    )
    divergence = np.exp(0.5) - 0.5 - 1
    assert float(total.detach()) == pytest.approx((-1 + 1 + 0.1 * divergence) / 2, abs=1e-6)
    total.backward()
    assert logprobs.grad is not None and logprobs.grad[2] == 0
