// How far two components of a projection tell the classes apart.

/** Components of which pairs are tried. */
const MOST = 12;

/**
 * For every pair of components the share of their spread that lies between the means of the classes:
 * half the trace of T⁻¹B, of 0 where all classes have one mean and 1 where they are points.
 * @returns {{pair: number[], share: number}[]} best first; nothing with fewer than two classes
 */
export function separations(projected, labels) {
  const width = Math.min(MOST, projected[0]?.length ?? 0);
  const known = projected.map((row, index) => [row, labels[index]]).filter(([, label]) => label !== null);
  const classes = Map.groupBy(known, ([, label]) => label);
  if (width < 2 || classes.size < 2) return [];
  const axes = Array.from({ length: width }, (_, axis) => axis);
  const mean = (list) => axes.map((axis) => list.reduce((sum, [row]) => sum + row[axis], 0) / list.length);
  const middle = mean(known);
  const means = [...classes.values()].map((list) => ({ weight: list.length / known.length, off: mean(list).map((value, axis) => value - middle[axis]) }));
  const total = (i, j) => known.reduce((sum, [row]) => sum + (row[i] - middle[i]) * (row[j] - middle[j]), 0) / known.length;
  const between = (i, j) => means.reduce((sum, { weight, off }) => sum + weight * off[i] * off[j], 0);
  const found = axes.flatMap((i) => axes.slice(i + 1).map((j) => {
    const [a, b, c] = [total(i, i), total(i, j), total(j, j)];
    const share = (c * between(i, i) - 2 * b * between(i, j) + a * between(j, j)) / (2 * (a * c - b * b));
    return { pair: [i, j], share: Number.isFinite(share) ? share : 0 };
  }));
  return found.sort((one, two) => two.share - one.share);
}

/** What a pair of components says about the classes, and which pair says most. */
export function separationWords(list, pair, names) {
  const here = list.find(({ pair: [i, j] }) => (i === pair[0] && j === pair[1]) || (i === pair[1] && j === pair[0]));
  if (!here) return "";
  const said = ({ share }) => `${(100 * share).toFixed(0)} %`;
  const best = list[0] === here ? "no pair does better" : `${names[list[0].pair[0]]} and ${names[list[0].pair[1]]} do best with ${said(list[0])}`;
  return `On this pair ${said(here)} of the spread lies between the classes; ${best}.`;
}
