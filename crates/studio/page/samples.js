// The points. Twenty thousand of them are stamped into an array of pixels, which is several times
// faster than drawing each; for export they are drawn as circles.

import { OUTCOMES, outcomes } from "./outcomes.js";
import { css, themed, tint } from "./palette.js";
import { look, size, visible } from "./plane.js";
import { knownClasses, state, trainingFlags } from "./state.js";

const RADIUS = 4;
const SIDE = 12;

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
function eachInSight(answer, tell, from = 0) {
  const { points } = state.drawing;
  const training = trainingFlags();
  const ink = colouring(answer);
  const [across, up] = state.axes;
  const { x, y, across: wide, up: tall } = state.view;
  const [perX, perY] = [size.width / wide, size.height / tall];
  for (let index = from; index < points.length; index++) {
    const p = points[index];
    const sx = size.width / 2 + (p.c[across] - x) * perX;
    const sy = size.height / 2 - (p.c[up] - y) * perY;
    if (sx < -8 || sy < -8 || sx > size.width + 8 || sy > size.height + 8) continue;
    tell(sx, sy, ink(p, index), training !== null && !training[index]);
  }
}

/** The points as circles, on any context. */
export function drawSamples(context, answer) {
  const radius = RADIUS * look.scale;
  eachInSight(answer, (x, y, label, hollow) => {
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.lineWidth = (hollow ? 2 : 1) * look.scale;
    context.strokeStyle = hollow ? css(label) : themed("canvas");
    context.fillStyle = css(label);
    if (!hollow) context.fill();
    context.stroke();
  });
}

// What was stamped last: points that are only added to it need no other to be stamped again.
let stamped = { image: null, points: [], under: [] };

/** The points on a canvas that holds nothing else. */
export function stampSamples(context, answer) {
  const { width, height } = context.canvas;
  const { points } = state.drawing;
  const ratio = width / size.width;
  const theme = `${ratio} ${document.documentElement.dataset.theme}`;
  if (theme !== made) looks = new Map();
  made = theme;
  const under = [theme, width, height, ...Object.values(state.view), ...state.axes, ...colourings(answer)];
  const grows = stamped.under.length === under.length && stamped.under.every((part, index) => part === under[index])
    && stamped.points.length <= points.length && stamped.points.every((p, index) => p === points[index]);
  const image = grows ? stamped.image : context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const half = (SIDE / 2) * ratio;
  eachInSight(answer, (x, y, label, hollow) => {
    stamp(pixels, width, height, Math.round(x * ratio - half), Math.round(y * ratio - half), lookOf(label, hollow));
  }, grows ? stamped.points.length : 0);
  stamped = { image, points, under };
  context.putImageData(image, 0, 0);
}

let looks = new Map();
let made = "";

// One small picture per look, as lists of its pixels that are not empty.
function lookOf(label, hollow) {
  const key = 2 * (label ?? -1) + (hollow ? 1 : 0);
  let found = looks.get(key);
  if (!found) looks.set(key, (found = pixelsOf(label, hollow)));
  return found;
}

function pixelsOf(label, hollow) {
  const ratio = window.devicePixelRatio || 1;
  const side = Math.ceil(SIDE * ratio);
  const context = new OffscreenCanvas(side, side).getContext("2d");
  context.scale(ratio, ratio);
  context.beginPath();
  context.arc(SIDE / 2, SIDE / 2, RADIUS, 0, 2 * Math.PI);
  context.lineWidth = hollow ? 2 : 1;
  context.strokeStyle = hollow ? css(label) : themed("canvas");
  context.fillStyle = css(label);
  if (!hollow) context.fill();
  context.stroke();
  const colours = new Uint32Array(context.getImageData(0, 0, side, side).data.buffer);
  const places = [];
  colours.forEach((colour, place) => { if (colour >>> 24) places.push(place); });
  return {
    side,
    across: Int16Array.from(places, (place) => place % side),
    down: Int16Array.from(places, (place) => Math.floor(place / side)),
    colours: Uint32Array.from(places, (place) => colours[place]),
  };
}

function stamp(pixels, width, height, left, top, { side, across, down, colours }) {
  const whole = left >= 0 && top >= 0 && left + side <= width && top + side <= height;
  const corner = top * width + left;
  for (let part = 0; part < colours.length; part++) {
    if (!whole && (left + across[part] < 0 || left + across[part] >= width || top + down[part] < 0 || top + down[part] >= height)) continue;
    const colour = colours[part];
    const place = corner + down[part] * width + across[part];
    const below = pixels[place];
    pixels[place] = colour >= 0xff000000 || below < 0x01000000 ? colour : over(colour, below);
  }
}

// One colour, partly transparent, over another: parts of 255, in whole numbers for speed.
function over(above, below) {
  const cover = above >>> 24;
  const rest = (((below >>> 24) * (255 - cover)) / 255) | 0;
  const all = cover + rest;
  const red = (((above & 255) * cover + (below & 255) * rest) / all) | 0;
  const green = ((((above >>> 8) & 255) * cover + ((below >>> 8) & 255) * rest) / all) | 0;
  const blue = ((((above >>> 16) & 255) * cover + ((below >>> 16) & 255) * rest) / all) | 0;
  return ((all << 24) | (blue << 16) | (green << 8) | red) >>> 0;
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
