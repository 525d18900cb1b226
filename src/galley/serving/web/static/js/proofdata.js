// Counting over a page's proof. A run is the tokens next to each other that one round committed in one way.

/** Ways a token is committed, in the order they are drawn, and what to call them. */
export const WAYS = ["free", "own", "single"];
export const WAY_NAMES = {
  free: "Free draft",
  own: "Own draft",
  single: "One at a time",
};
export const WAY_MEANINGS = {
  free: "a quick reader's words, verified in one go",
  own: "the model's own block, verified in one go",
  single: "one token, one forward",
};

/** Joins tokens to runs `{how, round, text, tokens}`. */
export function runs(tokens) {
  const found = [];
  for (const { text, how, round } of tokens) {
    const last = found.at(-1);
    if (last?.how === how && last.round === round) {
      last.text += text;
      last.tokens += 1;
    } else {
      found.push({ how, round, text, tokens: 1 });
    }
  }
  return found;
}

/** The tokens a model committed; a draft that no model read comes as a token without a round. */
export const committed = (entry) => (entry?.tokens ?? []).filter((token) => Number.isInteger(token.round));

/** Tokens committed in each way, over the blocks of a proof. */
export function countWays(proof) {
  const counts = { free: 0, own: 0, single: 0 };
  for (const entry of proof.blocks) for (const { how } of committed(entry)) counts[how] += 1;
  return counts;
}

/** For every round from the first to the last: tokens committed in each way. */
export function countRounds(proof) {
  const tokens = proof.blocks.flatMap(committed);
  if (!tokens.length) return { first: 0, rounds: [] };
  let [first, last] = [Infinity, -Infinity];
  for (const { round } of tokens) [first, last] = [Math.min(first, round), Math.max(last, round)];
  const rounds = Array.from({ length: last - first + 1 }, () => ({ free: 0, own: 0, single: 0 }));
  for (const { round, how } of tokens) rounds[round - first][how] += 1;
  return { first, rounds };
}

/** Neighbouring rounds added up, so that there are at most `most` bars; `size` rounds make a bar. */
export function binRounds(rounds, most) {
  const size = Math.max(1, Math.ceil(rounds.length / most));
  const bins = [];
  for (let at = 0; at < rounds.length; at += size) {
    const bin = { free: 0, own: 0, single: 0 };
    for (const round of rounds.slice(at, at + size)) for (const way of WAYS) bin[way] += round[way];
    bins.push(bin);
  }
  return { size, bins };
}
