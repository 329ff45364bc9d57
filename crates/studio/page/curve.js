// A curve through measured points, and how far new points are expected to stray from it.

import { paintArrow } from "./arrow.js";
import { css, themed } from "./palette.js";
import { look, toScreen, visible } from "./plane.js";
import { state, trainingFlags } from "./state.js";
import { paintHandLine, paintMarginPoints } from "./tiltview.js";

/** Layers that make up the density of a curve, and how many standard deviations they reach. */
const SHADES = 14;
const FAR = 3;

/** Points nearer to the edge of the tube than this share of its width lie on it. */
const ON_EDGE = 0.02;

/** The curve over its bands, or its density, with the tube of methods that have one. */
export function paintCurve(context, curve, answer) {
  if (curve.deviation.length && state.layers.shading) paintDensity(context, curve);
  else if (curve.deviation.length) for (let times = state.bands; times >= 1; times--) band(context, curve, times, 0.22 - 0.05 * times);
  if (answer.tube) paintTube(context, curve, answer);
  context.strokeStyle = css(4);
  context.lineWidth = 2.5 * look.scale;
  trace(context, curve, () => 0);
  context.stroke();
}

function trace(context, { x, y }, off) {
  context.beginPath();
  x.forEach((value, index) => context.lineTo(...toScreen([value, y[index] + off(index)])));
}

function band(context, { x, y, deviation }, times, alpha) {
  context.fillStyle = css(0, alpha);
  trace(context, { x, y }, (index) => times * deviation[index]);
  for (let index = x.length - 1; index >= 0; index--) context.lineTo(...toScreen([x[index], y[index] - times * deviation[index]]));
  context.fill();
}

// Layers on top of each other, each as dense as the normal law falls between its edge and the next.
function paintDensity(context, curve) {
  const height = (times) => Math.exp(-0.5 * times * times);
  for (let shade = SHADES; shade >= 1; shade--) {
    const [edge, inner] = [(FAR * shade) / SHADES, (FAR * (shade - 1)) / SHADES];
    band(context, curve, edge, 0.75 * (height(inner) - height(edge)));
  }
}

/**
 * The points that hold the tube: on its edge, or outside by their slack.
 * @returns {{index: number, slack: number, side: number}[]}
 */
export function tubeSupports({ points, tube }) {
  const training = trainingFlags();
  return state.drawing.points.flatMap(({ c }, index) => {
    if (training?.[index] === false || points.values?.[index] === undefined) return [];
    const off = c[state.axes[1]] - points.values[index];
    const slack = Math.abs(off) - tube;
    return slack > -ON_EDGE * tube ? [{ index, slack: slack > ON_EDGE * tube ? slack : 0, side: Math.sign(off) }] : [];
  });
}

/** The ε-margin 2ε/|w| of a straight line: how far one must go for the line to rise by the width of its tube. */
export function tubeMargin({ tube, figures }, { x, y }) {
  if (!figures.some(({ shape }) => shape.shape === "hyperplanes")) return null;
  const slope = Math.abs((y.at(-1) - y[0]) / (x.at(-1) - x[0]));
  return slope > 0 ? (2 * tube) / slope : null;
}

// Dashed edges, thin rings on them, thick ones outside with an arrow back to the edge: their slack.
function paintTube(context, curve, answer) {
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.5 * look.scale;
  context.setLineDash([7 * look.scale, 5 * look.scale]);
  for (const side of [1, -1]) {
    trace(context, curve, () => side * answer.tube);
    context.stroke();
  }
  context.setLineDash([]);
  // Beside a line by hand the fitted one is only there to compare.
  if (state.hand.slope !== null) return paintHandLine(context, answer.tube);
  for (const { index, slack, side } of tubeSupports(answer)) {
    const { c } = state.drawing.points[index];
    const [x, y] = visible(c);
    context.lineWidth = (slack ? 2.2 : 1.2) * look.scale;
    context.beginPath();
    context.arc(x, y, 7 * look.scale, 0, 2 * Math.PI);
    context.stroke();
    if (slack) paintArrow(context, [x, y], [x, visible(c.with(state.axes[1], c[state.axes[1]] - side * slack))[1]]);
  }
  paintMargin(context, curve, answer);
}

// The margin lies level in the tube, from one edge to the other.
function paintMargin(context, { x, y }, answer) {
  if (!tubeMargin(answer, { x, y })) return;
  const middle = x.length >> 1;
  paintMarginPoints(context, { slope: (y.at(-1) - y[0]) / (x.at(-1) - x[0]), middle: [x[middle], y[middle]] }, answer.tube);
}
