// A density of two variables seen from above, with each variable on its side and a slice that one drags.

import { contour } from "./contour.js";
import { ellipseOf } from "./ellipse.js";
import { conditional, covarianceOf, marginal } from "./joint.js";
import { colour, css, themed } from "./palette.js";
import { ticks } from "./plane.js";

const SIDE = 84;
const EDGE = 26;

/** Where the parts lie on a canvas of this size: the plane, the strip above it, the strip to its right. */
export function layout(width, height) {
  return { left: EDGE, top: SIDE, wide: width - EDGE - SIDE, tall: height - SIDE - EDGE };
}

/** The value of the known variable at a place of the canvas. */
export function valueAt({ edges }, variable, [x, y], width, height) {
  const { left, top, wide, tall } = layout(width, height);
  const share = variable === 0 ? 1 - (y - top) / tall : (x - left) / wide;
  const [low, high] = edges[1 - variable];
  return low + Math.max(0, Math.min(1, share)) * (high - low);
}

/**
 * Paints everything.
 * @param {{joint: Object, pair?: Object, points?: number[][], variable: number, value: number}} view
 *   `variable` is the one whose law is asked for (0 across, 1 up), `value` that of the other
 */
export function paintJoint(context, width, height, view) {
  const box = layout(width, height);
  const { edges } = view.joint;
  const place = ([x, y]) => [
    box.left + ((x - edges[0][0]) / (edges[0][1] - edges[0][0])) * box.wide,
    box.top + (1 - (y - edges[1][0]) / (edges[1][1] - edges[1][0])) * box.tall,
  ];
  paintPlane(context, box, view, place);
  for (const variable of [0, 1]) paintSide(context, box, view, variable);
  paintSlice(context, box, view, place);
  paintTicks(context, box, edges, place);
}

/** The density itself, with lines of equal height and, where they are given, the points and ellipses. */
export function paintPlane(context, box, { joint, pair, points }, place) {
  const { cells: [wide, tall], density } = joint;
  const most = density.reduce((high, value) => Math.max(high, value), 0) || 1;
  const image = new ImageData(wide, tall);
  const ink = colour(0);
  density.forEach((value, cell) => image.data.set([...ink, 200 * (value / most)], 4 * cell));
  const small = new OffscreenCanvas(wide, tall);
  small.getContext("2d").putImageData(image, 0, 0);
  context.drawImage(small, box.left, box.top, box.wide, box.tall);
  context.fillStyle = css(null, 0.45);
  for (const point of points ?? []) {
    const [x, y] = place(point);
    if (x > box.left && x < box.left + box.wide && y > box.top && y < box.top + box.tall) context.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
  context.strokeStyle = themed("ink");
  context.lineWidth = 1;
  context.globalAlpha = 0.5;
  // A Gaussian pair is told by its ellipses, any other law by lines one, two and three deviations below its peak.
  if (!pair) for (const level of [0.5, 2, 4.5].map((drop) => most * Math.exp(-drop))) strokePieces(context, box, contour(density, wide, tall, level));
  context.globalAlpha = 1;
  if (!pair) return;
  context.strokeStyle = css(4);
  for (const deviations of [1, 2, 3]) {
    context.lineWidth = 2.5 - 0.5 * deviations;
    context.beginPath();
    for (const spot of ellipseOf([0, 0], covarianceOf(pair), deviations)) context.lineTo(...place(spot));
    context.stroke();
  }
}

function strokePieces(context, { left, top, wide, tall }, pieces) {
  context.beginPath();
  for (let at = 0; at < pieces.length; at += 4) {
    context.moveTo(left + pieces[at] * wide, top + pieces[at + 1] * tall);
    context.lineTo(left + pieces[at + 2] * wide, top + pieces[at + 3] * tall);
  }
  context.stroke();
}

// On the side of a variable: bars of the points, its own law, and its law where the other is known.
function paintSide(context, box, { joint, points, variable: asked, value }, variable) {
  const own = marginal(joint, variable);
  const slice = variable === asked ? conditional(joint, variable, value) : null;
  const bars = points ? histogram(points.map((point) => point[variable]), joint.edges[variable]) : null;
  const most = Math.max(...own.heights, ...(slice?.heights ?? []), ...(bars?.heights ?? []), Number.MIN_VALUE);
  const [low, high] = joint.edges[variable];
  const spot = (at, height) => {
    const share = (at - low) / (high - low);
    const rise = (height / most) * (SIDE - 14);
    return variable === 0 ? [box.left + share * box.wide, box.top - 4 - rise] : [box.left + box.wide + 4 + rise, box.top + (1 - share) * box.tall];
  };
  if (bars) fillCurve(context, steps(bars, (high - low) / bars.heights.length), spot, css(null, 0.3));
  strokeCurve(context, own, spot, css(0));
  if (slice) strokeCurve(context, slice, spot, css(4));
}

function histogram(values, [low, high]) {
  const bins = 36;
  const counts = Array(bins).fill(0);
  for (const value of values) {
    const bin = Math.floor(((value - low) / (high - low)) * bins);
    if (bin >= 0 && bin < bins) counts[bin]++;
  }
  const area = (values.length || 1) * ((high - low) / bins);
  return { places: counts.map((_, bin) => low + ((high - low) * (bin + 0.5)) / bins), heights: counts.map((count) => count / area) };
}

// Bars have two corners each.
const steps = ({ places, heights }, wide) => ({
  places: places.flatMap((at) => [at - wide / 2, at + wide / 2]),
  heights: heights.flatMap((height) => [height, height]),
});

function fillCurve(context, { places, heights }, spot, style) {
  context.fillStyle = style;
  context.beginPath();
  context.moveTo(...spot(places[0], 0));
  places.forEach((at, index) => context.lineTo(...spot(at, heights[index])));
  context.lineTo(...spot(places.at(-1), 0));
  context.fill();
}

function strokeCurve(context, { places, heights }, spot, style) {
  context.strokeStyle = style;
  context.lineWidth = 2;
  context.beginPath();
  places.forEach((at, index) => context.lineTo(...spot(at, heights[index])));
  context.stroke();
}

// Where the other variable is known: a line through the plane, with the law along it.
function paintSlice(context, box, { joint, variable, value }, place) {
  const [low, high] = joint.edges[variable];
  const along = (at) => place(variable === 0 ? [at, value] : [value, at]);
  const { places, heights } = conditional(joint, variable, value);
  const most = Math.max(...heights, Number.MIN_VALUE);
  const spot = (at, height) => {
    const [x, y] = along(at);
    const rise = (height / most) * 60;
    return variable === 0 ? [x, y - rise] : [x + rise, y];
  };
  context.save();
  context.beginPath();
  context.rect(box.left, box.top, box.wide, box.tall);
  context.clip();
  fillCurve(context, { places, heights }, spot, css(4, 0.25));
  strokeCurve(context, { places, heights }, spot, css(4));
  context.restore();
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.5;
  context.setLineDash([6, 4]);
  context.beginPath();
  context.moveTo(...along(low));
  context.lineTo(...along(high));
  context.stroke();
  context.setLineDash([]);
}

function paintTicks(context, box, [across, up], place) {
  context.strokeStyle = themed("line");
  context.strokeRect(box.left, box.top, box.wide, box.tall);
  context.fillStyle = themed("faint");
  const written = (value) => String(value).replace("-", "−");
  context.textAlign = "center";
  for (const x of ticks(...across, 8)) context.fillText(written(x), place([x, up[0]])[0], box.top + box.tall + 14);
  context.textAlign = "right";
  for (const y of ticks(...up, 6)) context.fillText(written(y), box.left - 4, place([across[0], y])[1] + 4);
  context.textAlign = "left";
}
