"""Training rows against a reference written from the paper's sentences alone (GravityOCR 3.1), in plain loops.

The reference was written without the implementation in view. It takes one thing from it: which tokens it chose to
mask. From these it says what every slot holds, whom it sees, what it is to predict, and what the loss is.
"""

import math
from dataclasses import dataclass, field


@dataclass
class Reference:
    """What one example is to look like; slots are numbered prefix, clean stream, corrupted streams in turn.

    `seen[q]` are the slots that slot q attends to; `next_token[q]` what its logit is to predict for the autoregressive
    loss, and `denoised` the pairs (slot, target) of the denoising loss.
    """

    ids: list[int] = field(default_factory=list)
    positions: list[int] = field(default_factory=list)
    seen: list[set[int]] = field(default_factory=list)
    next_token: dict[int, int] = field(default_factory=dict)
    denoised: list[tuple[int, int]] = field(default_factory=list)


def filled(tokens: list[int], block_size: int, eos: int) -> list[int]:
    """The response as it is trained: its tokens and exactly one block of end tokens."""
    return list(tokens) + [eos] * block_size


def expected(
    prompt: list[int], response: list[int], tokens: int, block_size: int, mask: int, masked: list[list[bool]]
) -> Reference:
    """The example whose response, end tokens included, is `response`, `tokens` of it text.

    Args:
        prompt: ids of the prefix, image tokens and prompt.
        response: ids of the response with its end tokens.
        tokens: how many of the response come before the first end token.
        block_size: slots to a block.
        mask: id of the mask token.
        masked: for each corrupted stream, for each token of the response, whether it is masked there.
    """
    row = Reference()
    prefix, length = len(prompt), len(response)
    clean = prefix
    for slot in range(prefix):
        row.ids.append(prompt[slot])
        row.positions.append(slot)
        row.seen.append(set(range(slot + 1)))
    for index in range(length):
        row.ids.append(response[index])
        row.positions.append(prefix + index)
        row.seen.append(set(range(clean + index + 1)))
    for stream, pattern in enumerate(masked):
        start = prefix + length * (1 + stream)
        for index in range(length):
            block = index // block_size
            row.ids.append(mask if pattern[index] else response[index])
            row.positions.append(prefix + index)
            sees = set(range(prefix))
            sees |= {clean + other for other in range(length) if other // block_size < block}
            sees |= {start + other for other in range(length) if other // block_size == block}
            row.seen.append(sees)
        for index in range(length):
            if pattern[index]:
                slot = prefix - 1 if index == 0 else start + index - 1
                row.denoised.append((slot, response[index]))
    for index in range(tokens + 1):
        row.next_token[prefix - 1 if index == 0 else clean + index - 1] = response[index]
    return row


def cross_entropy(logits: list[float], target: int) -> float:
    """Minus the log-probability of the target, by the definition."""
    top = max(logits)
    return top + math.log(math.fsum(math.exp(value - top) for value in logits)) - logits[target]


def losses(rows: list[tuple[Reference, list[list[float]]]], ar_weight: float) -> tuple[float, float, float]:
    """Joint, denoising and autoregressive loss over examples, each given with the logits of its slots."""
    denoising = [cross_entropy(logits[slot], token) for row, logits in rows for slot, token in row.denoised]
    causal = [cross_entropy(logits[slot], token) for row, logits in rows for slot, token in row.next_token.items()]
    diff, ar = math.fsum(denoising) / len(denoising), math.fsum(causal) / len(causal)
    return (diff + ar_weight * ar) / (1 + ar_weight), diff, ar
