// What surrounds the data: grid, legend, marginals, the outline of a gesture, the cursor.

import { css, themed } from "./palette.js";
import { rows } from "./matrix.js";
import { OUTCOMES, outcomes } from "./outcomes.js";
import { edges, size, ticks, toScreen } from "./plane.js";
import { state } from "./state.js";
import { cursor, outline } from "./tools.js";

const BINS = 48;
const TALL = 56;

export function paintGrid(context) {
  const { left, right, bottom, top } = edges();
  context.strokeStyle = themed("grid");
  context.fillStyle = themed("faint");
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 1;
  context.beginPath();
  const [across, up] = [ticks(left, right, 10), ticks(bottom, top, 8)];
  for (const x of across) {
    const [sx] = toScreen([x, 0]);
    context.moveTo(sx, 0);
    context.lineTo(sx, size.height);
  }
  for (const y of up) {
    const [, sy] = toScreen([0, y]);
    context.moveTo(0, sy);
    context.lineTo(size.width, sy);
  }
  context.stroke();
  for (const x of across) {
    const at = toScreen([x, 0])[0] + 3;
    // A label that would be cut off at the edge is left out.
    if (at + context.measureText(written(x)).width < size.width) context.fillText(written(x), at, size.height - 4);
  }
  for (const y of up) {
    const at = toScreen([0, y])[1] - 3;
    // The lowest label would stand on those of the other axis, the topmost on the name of its own.
    if (at < size.height - 23 && at > 26) context.fillText(written(y), 3, at);
  }
  const [wide, tall] = state.axes.map((axis) => state.drawing.names[axis]);
  context.fillStyle = themed("ink");
  context.textAlign = "right";
  context.fillText(wide, size.width - 8, size.height - 18);
  context.textAlign = "left";
  context.fillText(tall, 8, 14);
}

const written = (value) => String(value).replace("-", "−");

// What the colours of the points mean: classes that are used, outcomes with their counts, or hidden states.
function meanings(answer) {
  const fates = outcomes(answer);
  if (fates) return OUTCOMES.map(([name, ink], index) => [`${name}: ${fates.counts[index]}`, ink]);
  if (answer?.points.states) return Array.from({ length: answer.points.n_states }, (_, one) => [`state ${one}`, one]);
  const { classes, points } = state.drawing;
  if (state.task === "regression" || !state.layers.labels) return [];
  const used = usedClasses(points);
  return classes.map((name, index) => [name, index]).filter(([, index]) => used.has(index));
}

// Counted once for the same points, however often they are looked at.
let counted = { points: null, used: null };

function usedClasses(points) {
  if (counted.points !== points) counted = { points, used: new Set(points.map((p) => p.k)) };
  return counted.used;
}

export function paintLegend(context, answer) {
  const list = meanings(answer);
  if (list.length < 2) return;
  context.font = "12px system-ui, sans-serif";
  const width = 34 + Math.max(...list.map(([name]) => context.measureText(name).width));
  const x = size.width - width - 10;
  context.fillStyle = themed("panel");
  context.globalAlpha = 0.85;
  context.beginPath();
  context.roundRect(x, 10, width, 8 + 19 * list.length, 6);
  context.fill();
  context.globalAlpha = 1;
  list.forEach(([name, ink], row) => {
    context.fillStyle = css(ink);
    context.beginPath();
    context.arc(x + 14, 23 + 19 * row, 4, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = themed("ink");
    context.fillText(name, x + 26, 27 + 19 * row);
  });
}

/** How the points spread along each axis, by class, with the curves of a model's Gaussians. */
export function paintMarginals(context, answer) {
  const { left, right, bottom, top } = edges();
  const gaussians = answer?.figures.find(({ shape }) => shape.shape === "ellipsoids")?.shape;
  for (const [side, [low, high]] of [[left, right], [bottom, top]].entries()) {
    const counts = histogram(side, low, high);
    const most = Math.max(1, ...counts.flatMap((list) => [...list]));
    const place = (share, height) => (side === 0
      ? [share * size.width, size.height - height * TALL]
      : [height * TALL, size.height * (1 - share)]);
    counts.forEach((list, label) => {
      context.fillStyle = css(label === counts.length - 1 ? null : label, 0.35);
      context.beginPath();
      context.moveTo(...place(0, 0));
      list.forEach((count, bin) => {
        context.lineTo(...place(bin / BINS, count / most));
        context.lineTo(...place((bin + 1) / BINS, count / most));
      });
      context.lineTo(...place(1, 0));
      context.fill();
    });
    if (gaussians) paintBells(context, gaussians, side, [low, high], place);
  }
}

function histogram(side, low, high) {
  const { points, classes } = state.drawing;
  const counts = Array.from({ length: classes.length + 1 }, () => new Uint32Array(BINS));
  for (const { c, k } of points) {
    const bin = Math.floor(((c[state.axes[side]] - low) / (high - low)) * BINS);
    if (bin >= 0 && bin < BINS) counts[k ?? classes.length][bin]++;
  }
  return counts;
}

function paintBells(context, { centers, covariances }, side, [low, high], place) {
  const axis = state.axes[side];
  const list = rows(centers).map((centre, index) => [centre[axis], Math.sqrt(rows(covariances[index])[axis]?.[axis] ?? 0)]);
  const peak = Math.max(...list.map(([, deviation]) => 1 / deviation));
  context.lineWidth = 2;
  list.forEach(([mean, deviation], index) => {
    if (!(deviation > 0)) return;
    context.strokeStyle = css(index);
    context.beginPath();
    for (let step = 0; step <= 160; step++) {
      const z = (low + (step / 160) * (high - low) - mean) / deviation;
      context.lineTo(...place(step / 160, Math.exp(-0.5 * z * z) / deviation / peak));
    }
    context.stroke();
  });
}

export function paintOutline(context) {
  const drawn = outline();
  if (!drawn) return;
  const { from, to } = drawn;
  context.strokeStyle = themed("accent");
  context.lineWidth = 1;
  context.setLineDash([5, 4]);
  context.beginPath();
  if (drawn.tool === "line") {
    context.moveTo(...from);
    context.lineTo(...to);
  } else if (drawn.tool === "select") {
    context.rect(...from, to[0] - from[0], to[1] - from[1]);
  } else if (drawn.tool === "circle") {
    context.arc(...from, drawn.radius, 0, 2 * Math.PI);
  } else {
    context.ellipse((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, Math.abs(to[0] - from[0]) / 2, Math.abs(to[1] - from[1]) / 2, drawn.angle ?? 0, 0, 2 * Math.PI);
  }
  context.stroke();
  context.setLineDash([]);
}

/** Where the keyboard draws. */
export function paintCursor(context) {
  if (!cursor.shown) return;
  const [x, y] = cursor.at;
  for (const [style, width] of [[themed("canvas"), 5], [themed("accent"), 2]]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x - 12, y);
    context.lineTo(x + 12, y);
    context.moveTo(x, y - 12);
    context.lineTo(x, y + 12);
    context.stroke();
  }
}
