// Pairs of weighted sums, one of either view, that a model found to go together.

import { splitAt, state, trainingFlags } from "./state.js";

/** The weights of the chosen pair for either view, and its place among all; nothing where a model has none. */
export function pairOf(answer) {
  const [first, second] = ["x_weights", "y_weights"].map((name) => answer?.attributes.find((one) => one.name === name)?.value);
  if (!Array.isArray(first) || !Array.isArray(second)) return null;
  // A model with fewer pairs than were asked for shows its last.
  const index = Math.min(state.hand.pair, first.length - 1);
  // An answer about other columns is about to be replaced.
  if (first[0].length !== splitAt() || first[0].length + second[0].length !== state.drawing.names.length) return null;
  return { count: first.length, index, weights: [first[index], second[index]], all: first.map((weights, pair) => [weights, second[pair]]) };
}

/** The points that are learned from. */
export function learned() {
  const training = trainingFlags();
  return training ? state.drawing.points.filter((_, index) => training[index]) : state.drawing.points;
}

/** The mean of some columns over the points that are learned from. */
export function columnMeans(axes) {
  const points = learned();
  return axes.map((axis) => points.reduce((sum, { c }) => sum + c[axis], 0) / points.length);
}

/** What every point is in the first and in the second view, about zero, for a pair of weights. */
export function variates([w, v]) {
  const { names, points } = state.drawing;
  const split = splitAt();
  const means = columnMeans(names.map((_, axis) => axis));
  const along = (weights, from) => points.map(({ c }) => weights.reduce((sum, weight, index) => sum + weight * (c[from + index] - means[from + index]), 0));
  return [along(w, 0), along(v, split)];
}
