// The points. Twenty thousand of them are stamped into an array of dots, which is several times
// faster than drawing each; for export they are drawn as circles.

import { OUTCOMES, outcomes } from "./outcomes.js";
import { themed, tint } from "./palette.js";
import { look, size, visible } from "./plane.js";
import { SIDE, drawPoint, lookOf, moveSheet, stamp, stampWithin, useTheme } from "./stamps.js";
import { knownClasses, state, trainingFlags } from "./state.js";

/** Everything that decides which colour a point has, besides the point itself. */
export function colourings(answer) {
  const { labels, predictions, outcomes: fates } = state.layers;
  return [labels, predictions, fates, (predictions || fates) && answer, state.task, state.share, state.known];
}

// The number of the colour of a point, by what is to be seen: outcomes, predictions, known classes or none.
function colouring(answer) {
  const fates = outcomes(answer);
  if (fates) return (_, index) => (fates.of[index] === null ? null : OUTCOMES[fates.of[index]][1]);
  const said = state.layers.predictions && answer ? answer.points.labels ?? answer.points.clusters : null;
  if (said) return (_, index) => tint(answer, said[index]);
  if (state.task === "regression") return () => 0;
  if (!state.layers.labels) return () => null;
  const known = state.task === "clustering" && state.known < 100 ? knownClasses() : null;
  return known ? (_, index) => known[index] : (p) => p.k;
}

/** Calls back with the place, the colour and whether it is hollow, for every point in sight. */
function eachInSight(answer, tell) {
  const { points } = state.drawing;
  const training = trainingFlags();
  const ink = colouring(answer);
  const [across, up] = state.axes;
  const { x, y, across: wide, up: tall } = state.view;
  const [perX, perY] = [size.width / wide, size.height / tall];
  for (let index = 0; index < points.length; index++) {
    const p = points[index];
    const sx = size.width / 2 + (p.c[across] - x) * perX;
    const sy = size.height / 2 - (p.c[up] - y) * perY;
    if (sx < -8 || sy < -8 || sx > size.width + 8 || sy > size.height + 8) continue;
    tell(sx, sy, ink(p, index), training !== null && !training[index]);
  }
}

/** The points as circles, on any context. */
export function drawSamples(context, answer) {
  eachInSight(answer, (x, y, label, hollow) => drawPoint(context, [x, y], label, hollow, look.scale));
}

// What was stamped last, and where: points that are only added to it need no other to be stamped
// again, and where the view is only moved, all but a strip is moved with it.
let stamped = { image: null, points: [], under: [], origin: null, moved: [0, 0] };

/** The points on a canvas that holds nothing else. */
export function stampSamples(context, answer) {
  const { width, height } = context.canvas;
  const { points } = state.drawing;
  const ratio = width / size.width;
  const theme = `${ratio} ${width} ${document.documentElement.dataset.theme}`;
  useTheme(theme);
  const under = [theme, height, state.view.across, state.view.up, ...state.axes, ...colourings(answer)];
  const same = stamped.image && stamped.under.every((part, index) => part === under[index])
    && stamped.points.length <= points.length && stamped.points.every((p, index) => p === points[index]);
  const origin = same ? stamped.origin : { x: state.view.x, y: state.view.y };
  // All points move by the same whole number of dots, so that none trembles against the others.
  const moved = [
    Math.round(((origin.x - state.view.x) / state.view.across) * width),
    Math.round(((state.view.y - origin.y) / state.view.up) * height),
  ];
  const [right, down] = same ? moved.map((value, axis) => value - stamped.moved[axis]) : [width, height];
  const near = Math.abs(right) < width / 2 && Math.abs(down) < height / 2;
  if (!near && same) {
    stamped = { ...stamped, image: null };
    return stampSamples(context, answer);
  }
  const sheet = { image: near ? stamped.image : context.createImageData(width, height), width, height };
  sheet.pixels = new Uint32Array(sheet.image.data.buffer);
  const place = placer(origin, moved, ratio);
  if (near && (right || down)) for (const part of moveSheet(sheet, right, down)) stampPart(sheet, answer, place, part, stamped.points.length);
  stampPart(sheet, answer, place, null, points.length, near ? stamped.points.length : 0);
  stamped = { image: sheet.image, points, under, origin, moved };
  context.putImageData(sheet.image, 0, 0);
}

// The left top corner of the stamp of a point, in dots.
function placer(origin, [right, down], ratio) {
  const [across, up] = state.axes;
  const half = (SIDE / 2) * ratio;
  const [perX, perY] = [(size.width / state.view.across) * ratio, (size.height / state.view.up) * ratio];
  const [x, y] = [(size.width / 2) * ratio - half, (size.height / 2) * ratio - half];
  return ({ c }) => [Math.round(x + (c[across] - origin.x) * perX) + right, Math.round(y - (c[up] - origin.y) * perY) + down];
}

// Stamps the points of some numbers, onto a part of the sheet or all of it.
function stampPart(sheet, answer, place, part, to, from = 0) {
  const { points } = state.drawing;
  const training = trainingFlags();
  const ink = colouring(answer);
  const { left, right, top, bottom } = part ?? { left: 0, right: sheet.width, top: 0, bottom: sheet.height };
  for (let index = from; index < to; index++) {
    const p = points[index];
    const [x, y] = place(p);
    const look = lookOf(ink(p, index), training !== null && !training[index], sheet.width);
    const { side } = look;
    if (x >= right || y >= bottom || x + side <= left || y + side <= top) continue;
    if (x >= left && y >= top && x + side <= right && y + side <= bottom) stamp(sheet.pixels, y * sheet.width + x, look);
    else stampWithin(sheet.pixels, sheet.width, x, y, look, left, right, top, bottom);
  }
}

/** Rings around the points of the selection. */
export function paintSelection(context) {
  context.strokeStyle = themed("accent");
  context.lineWidth = 1.5;
  context.beginPath();
  for (const index of state.selected) {
    const [x, y] = visible(state.drawing.points[index].c);
    context.moveTo(x + 8, y);
    context.arc(x, y, 8, 0, 2 * Math.PI);
  }
  context.stroke();
}
