// White noise on the points, the same for the same seed.

import { random } from "./scenes/points.js";
import { state } from "./state.js";

/**
 * The drawing with normal noise of this deviation: on what is predicted where numbers are, else on both shown columns.
 * @param {import("./state.js").Drawing} drawing
 */
export function noisy(drawing, deviation, seed = 1) {
  if (!deviation) return drawing;
  const rng = random(seed);
  const axes = state.task === "regression" ? [state.axes[1]] : [...new Set(state.axes)];
  const moved = (c) => axes.reduce((moving, axis) => moving.with(axis, moving[axis] + deviation * rng.normal()), c);
  return { ...drawing, points: drawing.points.map((p) => ({ ...p, c: moved(p.c) })) };
}

/** Does something as if these were the points; nobody is told, for they are not. */
export function asIf(drawing, work) {
  const own = state.drawing;
  state.drawing = drawing;
  try {
    return work();
  } finally {
    state.drawing = own;
  }
}
