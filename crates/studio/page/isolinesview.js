// The grid of isoline pictures: a projection each, all over the same part of the plane.

import { contour } from "./contour.js";
import { cells } from "./maps.js";
import { colour, css, themed } from "./palette.js";
import { ticks } from "./plane.js";

const GAP = 10;
const TITLE = 20;
const FOOT = 14;
/** A point stands out where its projection is beyond this share of the largest. */
const HALF = 0.5;

/**
 * @typedef {{left: number, right: number, bottom: number, top: number}} Region
 * @typedef {{index: number, heights: string, points: number[], share: number|undefined}} Projection
 */

/** The places of so many pictures on a canvas, as nearly square a grid as it can be. */
export function frames(count, width, height) {
  const across = count === 2 ? 2 : Math.ceil(Math.sqrt(count));
  const down = Math.ceil(count / across);
  const [wide, tall] = [(width - GAP * (across - 1)) / across, (height - GAP * (down - 1)) / down];
  return Array.from({ length: count }, (_, index) => ({
    x: (index % across) * (wide + GAP),
    y: Math.floor(index / across) * (tall + GAP) + TITLE,
    wide,
    tall: tall - TITLE - FOOT,
  }));
}

/** The heights of a projection, its largest one either way, and the levels of its lines: zero and as many on either side. */
export function relief(projection, lines) {
  const heights = cells({ kind: "values", bytes: projection.heights });
  const most = heights.reduce((top, height) => Math.max(top, Math.abs(height)), 0);
  const levels = Array.from({ length: 2 * lines + 1 }, (_, step) => ((step - lines) * most) / (lines + 1));
  return { heights, most, levels };
}

/** Which points a projection singles out. */
export function outstanding({ points }) {
  const most = points.reduce((top, value) => Math.max(top, Math.abs(value)), 0);
  return points.flatMap((value, index) => (Math.abs(value) > HALF * most ? [index] : []));
}

// Made once for a projection and a number of lines, and then only painted.
const made = new WeakMap();

function prepared(projection, { width, height }, lines) {
  const before = made.get(projection);
  if (before?.lines === lines) return before;
  const { heights, most, levels } = relief(projection, lines);
  const pieces = levels.map((level) => ({ level, pieces: contour(heights, width, height, level) }));
  const now = { lines, most, pieces, image: shaded(heights, most, width, height) };
  made.set(projection, now);
  return now;
}

// Blue below zero and red above, the stronger the farther.
function shaded(heights, most, width, height) {
  const image = new ImageData(width, height);
  const [cold, warm] = [colour(0), colour(4)];
  heights.forEach((value, cell) => {
    image.data.set(value < 0 ? cold : warm, cell * 4);
    image.data[cell * 4 + 3] = 165 * (Math.abs(value) / (most || 1)) ** 0.8;
  });
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** How a part of the plane lies in a frame. */
export function scaleOf(frame, { left, right, bottom, top }) {
  return {
    toScreen: ([x, y]) => [frame.x + ((x - left) / (right - left)) * frame.wide, frame.y + ((top - y) / (top - bottom)) * frame.tall],
    toWorld: ([x, y]) => [left + ((x - frame.x) / frame.wide) * (right - left), top - ((y - frame.y) / frame.tall) * (top - bottom)],
  };
}

/**
 * Paints every projection of an answer.
 * @param {{answer: Object, region: Region, asked: Region, places: number[][], classes: (number|null)[], lines: number, count: number, pointed: number[]|null}} what
 *   `asked` is the part of the plane that the answer is about; `region` is what is seen of it
 */
export function paintIsolines(context, [width, height], what) {
  context.fillStyle = themed("paper");
  context.fillRect(0, 0, width, height);
  const { projections } = what.answer;
  // Where there are fewer projections than asked for, some frames stay empty.
  frames(what.count, width, height).slice(0, projections.length).forEach((frame, index) => {
    context.fillStyle = themed("canvas");
    context.fillRect(frame.x, frame.y, frame.wide, frame.tall);
    paintRelief(context, frame, projections[index], what);
    paintPoints(context, frame, projections[index], what);
    paintFrame(context, frame, projections[index], what);
  });
}

function paintRelief(context, frame, projection, { answer, region, asked, lines }) {
  const { image, pieces } = prepared(projection, answer, lines);
  const { toScreen } = scaleOf(frame, region);
  const [left, top] = toScreen([asked.left, asked.top]);
  const [right, bottom] = toScreen([asked.right, asked.bottom]);
  const inside = (x, y) => x >= frame.x && x <= frame.x + frame.wide && y >= frame.y && y <= frame.y + frame.tall;
  // While a new answer is waited for, the old one is moved along, as far as it fits in.
  if (left >= frame.x - 1 && right <= frame.x + frame.wide + 1 && top >= frame.y - 1 && bottom <= frame.y + frame.tall + 1) context.drawImage(image, left, top, right - left, bottom - top);
  context.strokeStyle = themed("ink");
  for (const { level, pieces: line } of pieces) {
    context.globalAlpha = level === 0 ? 0.9 : 0.5;
    context.lineWidth = level === 0 ? 1.8 : 0.9;
    context.beginPath();
    for (let at = 0; at < line.length; at += 4) {
      const [x, y] = [left + line[at] * (right - left), top + line[at + 1] * (bottom - top)];
      if (!inside(x, y)) continue;
      context.moveTo(x, y);
      context.lineTo(left + line[at + 2] * (right - left), top + line[at + 3] * (bottom - top));
    }
    context.stroke();
  }
  context.globalAlpha = 1;
}

function paintPoints(context, frame, projection, { region, places, classes, pointed }) {
  const { toScreen } = scaleOf(frame, region);
  const out = new Set(outstanding(projection));
  const visible = ([x, y]) => x > frame.x && x < frame.x + frame.wide && y > frame.y && y < frame.y + frame.tall;
  places.forEach((place, index) => {
    const [x, y] = toScreen(place);
    if (!visible([x, y])) return;
    context.beginPath();
    context.arc(x, y, out.has(index) ? 3.6 : 2.6, 0, 2 * Math.PI);
    context.fillStyle = css(classes[index]);
    context.fill();
    context.lineWidth = out.has(index) ? 1.4 : 0.7;
    context.strokeStyle = out.has(index) ? themed("ink") : themed("canvas");
    context.stroke();
  });
  if (!pointed || !visible(toScreen(pointed))) return;
  const [x, y] = toScreen(pointed);
  context.strokeStyle = themed("ink");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(x - 7, y);
  context.lineTo(x + 7, y);
  context.moveTo(x, y - 7);
  context.lineTo(x, y + 7);
  context.stroke();
}

function paintFrame(context, frame, projection, { answer, region, lines }) {
  const { most } = prepared(projection, answer, lines);
  context.lineWidth = 1;
  context.strokeStyle = themed("line");
  context.beginPath();
  context.rect(frame.x + 0.5, frame.y + 0.5, frame.wide - 1, frame.tall - 1);
  context.stroke();
  const count = outstanding(projection).length;
  context.textAlign = "left";
  context.fillStyle = themed("ink");
  const title = `projection ${projection.index + 1}`;
  context.fillText(title, frame.x + 1, frame.y - 7);
  const share = projection.share === undefined || projection.share === null ? "" : `${(100 * projection.share).toFixed(0)} %, `;
  const points = frame.wide < 280 ? "" : count === 1 ? " point" : " points";
  const step = frame.wide < 330 ? "" : `, lines every ${Number((most / (lines + 1)).toPrecision(2))}`;
  const said = `${share}${count}${points} ${count === 1 ? "stands" : "stand"} out${step}`;
  context.fillStyle = themed("faint");
  context.textAlign = "right";
  context.fillText(said, frame.x + frame.wide - 1, frame.y - 7, frame.wide - 70);
  paintTicks(context, frame, region);
}

const written = (value) => String(value).replace("-", "−");

function paintTicks(context, frame, region) {
  const { toScreen } = scaleOf(frame, region);
  context.fillStyle = themed("faint");
  context.textAlign = "center";
  for (const tick of ticks(region.left, region.right, Math.max(2, frame.wide / 70))) {
    const [x] = toScreen([tick, region.bottom]);
    if (x > frame.x + 14 && x < frame.x + frame.wide - 14) context.fillText(written(tick), x, frame.y + frame.tall + 11);
  }
  context.textAlign = "left";
  for (const tick of ticks(region.bottom, region.top, Math.max(2, frame.tall / 50))) {
    const [, y] = toScreen([region.left, tick]);
    if (y > frame.y + 12 && y < frame.y + frame.tall - 6) context.fillText(written(tick), frame.x + 4, y + 4);
  }
}
