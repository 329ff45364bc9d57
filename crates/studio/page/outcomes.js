// How each point fares with a model of two classes: found, missed, a false alarm, or left in peace.

import { state } from "./state.js";

/** The four outcomes with the number of their colour; the second class is the one that is looked for. */
export const OUTCOMES = [["true positive", 2], ["false positive", 4], ["false negative", 3], ["true negative", null]];

/**
 * The outcome of each point, an index into the list (null for points without a class), and how many
 * there are of each; nothing where there are not two classes to tell apart.
 * @returns {{of: (number|null)[], counts: number[]}|null}
 */
export function outcomes(answer) {
  const said = answer?.points.labels;
  const { points, classes } = state.drawing;
  if (!state.layers.outcomes || !said || classes.length !== 2) return null;
  const counts = [0, 0, 0, 0];
  const of = points.map(({ k }, index) => {
    if (k === null || said[index] === undefined || said[index] === null) return null;
    const outcome = said[index] === 1 ? (k === 1 ? 0 : 1) : (k === 1 ? 2 : 3);
    counts[outcome]++;
    return outcome;
  });
  return { of, counts };
}
