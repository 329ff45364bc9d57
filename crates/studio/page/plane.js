// The visible part of the plane and how it lies on the screen.

import { range } from "./parts.js";
import { state } from "./state.js";

/** Size of the stage in CSS pixels. */
export const size = { width: 1, height: 1 };

/** How thick lines and points are; pictures that are shown small have more. */
export const look = { scale: 1 };

export const toScreen = ([x, y]) => [
  size.width / 2 + ((x - state.view.x) / state.view.across) * size.width,
  size.height / 2 - ((y - state.view.y) / state.view.up) * size.height,
];

export const toWorld = ([sx, sy]) => [
  state.view.x + ((sx - size.width / 2) / size.width) * state.view.across,
  state.view.y - ((sy - size.height / 2) / size.height) * state.view.up,
];

/** Where a point of the data lies on the screen; coordinates that it lacks are zero. */
export const visible = (point) => toScreen([point[state.axes[0]] ?? 0, point[state.axes[1]] ?? 0]);

/** Which coordinates of the model lie along the axes: it may have learned from these alone. */
export const modelAxes = () => (state.visibleOnly ? [0, 1] : state.axes);

/** Where a place of the model's lies on the screen. */
export const placed = (point) => toScreen(modelAxes().map((axis) => point[axis] ?? 0));

/** The edges of the view: left, right, bottom, top. */
export function edges() {
  const { x, y, across, up } = state.view;
  return { left: x - across / 2, right: x + across / 2, bottom: y - up / 2, top: y + up / 2 };
}

/** Whether all points are shown because that was asked for, and not changed since. */
export const fitted = { on: false };

/** Shows all points with a margin. */
export function fitView() {
  const { points } = state.drawing;
  fitted.on = true;
  if (!points.length) {
    state.view = { x: 0, y: 0, across: (10 * size.width) / size.height, up: 10 };
    return;
  }
  const [xs, ys] = state.axes.map((axis) => points.map((point) => point.c[axis]));
  const [x, across] = span(xs);
  const [y, up] = span(ys);
  state.view = { x, y, across, up };
  // Shapes drawn in the plane keep their proportions unless the scales are far apart.
  const ratio = across / size.width / (up / size.height);
  if (ratio > 0.2 && ratio < 5) {
    const scale = Math.max(across / size.width, up / size.height);
    state.view.across = scale * size.width;
    state.view.up = scale * size.height;
  }
}

function span(values) {
  const [low, high] = range(values);
  const width = high - low || Math.abs(high) || 1;
  return [(low + high) / 2, width * 1.25];
}

/** Zooms about a place on the screen; what was `from` there comes to lie at it. */
export function zoom(factor, at, from = at) {
  fitted.on = false;
  const before = toWorld(from);
  state.view.across *= factor;
  state.view.up *= factor;
  const after = toWorld(at);
  state.view.x += before[0] - after[0];
  state.view.y += before[1] - after[1];
}

/** Round numbers to write on an axis of this length. */
export function ticks(low, high, about) {
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const list = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) list.push(Math.abs(tick) < step / 1e6 ? 0 : Number(tick.toPrecision(12)));
  return list;
}
