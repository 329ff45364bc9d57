// The ellipse wᵀCw = 1 on which weights end that give a variate of variance one.

import { paintArrow } from "./arrow.js";
import { paintCaption } from "./caption.js";
import { ellipseOf } from "./ellipse.js";
import { css, themed } from "./palette.js";
import { columnMeans, learned, pairOf, variates } from "./pairs.js";
import { look, toScreen } from "./plane.js";
import { splitAt, state } from "./state.js";

/**
 * The weights of the shown pair in the plane of the shown axes, where these are one whole view.
 * @returns {{centre: number[], covariance: number[], inverse: number[], halfAxes: number[], touching: number[],
 *   correlation: number}|null} entries xx, xy, yy of C and of its inverse
 */
export function constraint(answer) {
  const { names } = state.drawing;
  const split = splitAt();
  const view = state.axes[0] < split ? 0 : 1;
  const [from, to] = view ? [split, names.length] : [0, split];
  const whole = to - from === 2 && state.axes[0] !== state.axes[1] && state.axes.every((axis) => axis >= from && axis < to);
  const pair = pairOf(answer);
  if (!whole || !pair || learned().length < 3) return null;
  const centre = columnMeans(state.axes);
  const covariance = covarianceOf(state.axes, centre);
  const [xx, xy, yy] = covariance;
  const determinant = xx * yy - xy * xy;
  if (!(determinant > 1e-12 * xx * yy)) return null;
  const w = state.axes.map((axis) => pair.weights[view][axis - from]);
  const norm = Math.sqrt(quadratic(covariance, w));
  const root = Math.hypot((xx - yy) / 2, xy);
  const both = variates(pair.weights);
  return {
    centre,
    covariance,
    inverse: [yy / determinant, -xy / determinant, xx / determinant],
    halfAxes: [(xx + yy) / 2 + root, (xx + yy) / 2 - root].map((eigenvalue) => 1 / Math.sqrt(eigenvalue)),
    touching: w.map((value) => value / norm),
    correlation: correlation(...both),
  };
}

const quadratic = ([xx, xy, yy], [u, v]) => u * u * xx + 2 * u * v * xy + v * v * yy;

function covarianceOf([a, b], [meanA, meanB]) {
  const points = learned();
  let [xx, xy, yy] = [0, 0, 0];
  for (const { c } of points) {
    const [x, y] = [c[a] - meanA, c[b] - meanB];
    xx += (x * x) / points.length;
    xy += (x * y) / points.length;
    yy += (y * y) / points.length;
  }
  return [xx, xy, yy];
}

function correlation(one, two) {
  const product = (a, b) => a.reduce((sum, value, row) => sum + value * b[row], 0);
  return product(one, two) / Math.sqrt(product(one, one) * product(two, two));
}

/** What the length of w changes, and what it does not. */
export function constraintWords(answer) {
  const found = constraint(answer);
  if (!found) return "";
  const near = (value) => Number(value.toPrecision(3));
  const times = state.hand.length;
  const { halfAxes, correlation: rho } = found;
  const touches = Math.abs(times - 1) < 0.005 ? "w ends on the ellipse wᵀCw = 1" : `w is ${near(times)} times as long as the ellipse reaches`;
  return `${touches}: its variate has variance ${near(times ** 2)} and correlation ${near(rho)} with its partner. Half axes 1/√λ: ${near(halfAxes[1])} and ${near(halfAxes[0])}.`;
}

/** The ellipse with its half axes, and the weights from the middle of the points. */
export function paintConstraint(context, answer) {
  const found = constraint(answer);
  if (!found) return;
  const { centre, inverse, touching } = found;
  const place = ([u, v]) => toScreen([centre[0] + u, centre[1] + v]);
  context.strokeStyle = themed("ink");
  context.lineWidth = 2 * look.scale;
  context.beginPath();
  for (const spot of ellipseOf([0, 0], inverse, 1)) context.lineTo(...place(spot));
  context.stroke();
  paintHalfAxes(context, found, place);
  paintWeights(context, found, place);
  context.lineWidth = 2 * look.scale;
  context.beginPath();
  context.arc(...place(touching), 8 * look.scale, 0, 2 * Math.PI);
  context.stroke();
  // Its name stands beyond the end of the long half axis that is away from w.
  const [[u, v]] = halfAxesOf(found);
  const side = u * touching[0] + v * touching[1] > 0 ? -1 : 1;
  const [end, middle] = [place([side * u, side * v]), place([0, 0])];
  const far = 1 + (20 * look.scale) / (Math.hypot(end[0] - middle[0], end[1] - middle[1]) || 1);
  paintCaption(context, "wᵀCw = 1", end.map((value, axis) => middle[axis] + far * (value - middle[axis]) + 4 * axis));
}

// Along the eigenvectors of C, the long one first: it belongs to the smaller eigenvalue.
function halfAxesOf({ covariance: [xx, xy, yy], halfAxes: [short, long] }) {
  const angle = Math.atan2(2 * xy, xx - yy) / 2;
  return [[-long * Math.sin(angle), long * Math.cos(angle)], [short * Math.cos(angle), short * Math.sin(angle)]];
}

function paintHalfAxes(context, found, place) {
  context.lineWidth = look.scale;
  context.setLineDash([4 * look.scale, 4 * look.scale]);
  for (const [u, v] of halfAxesOf(found)) {
    context.beginPath();
    for (const side of [-1, 1]) context.lineTo(...place([side * u, side * v]));
    context.stroke();
  }
  context.setLineDash([]);
}

// On a ground of its own, so that it is seen among the points.
function paintWeights(context, { touching }, place) {
  const [from, to] = [place([0, 0]), place(touching.map((value) => state.hand.length * value))];
  for (const [style, wide] of [[themed("canvas"), 7], [css(4), 3.5]]) {
    context.strokeStyle = style;
    context.lineWidth = wide * look.scale;
    paintArrow(context, from, to);
  }
}
