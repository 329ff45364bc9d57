// What a model draws of itself: centres, ellipses, axes, lines, balls, paths.

import { paintConstraint } from "./constraint.js";
import { ellipseOf } from "./ellipse.js";
import { paintLinks } from "./linkage.js";
import { paintLines, paintSupport } from "./margins.js";
import { rows } from "./matrix.js";
import { css, themed, tint } from "./palette.js";
import { edges, look, modelAxes, placed, toScreen, visible } from "./plane.js";
import { state } from "./state.js";
import { paintTrail } from "./trail.js";

/** Beyond this many balls their outlines are left out. */
const MANY_BALLS = 1500;

/** Beyond this many ellipses their centres are drawn small. */
const MANY_ELLIPSES = 8;

const PAINTERS = {
  points: (context, { points }, answer) => rows(points).forEach((centre, index) => paintCentre(context, centre, tint(answer, index))),
  ellipsoids: paintEllipses,
  balls: paintBalls,
  axes: paintAxes,
  hyperplanes: paintLines,
  edges: paintEdges,
};

/** Every figure of an answer. */
export function paintGeometry(context, answer) {
  if (state.task === "views") return paintConstraint(context, answer);
  const joint = jointEllipses(answer);
  if (!joint) paintTrail(context, answer);
  for (const { shape, owner } of joint ? [joint] : answer.figures) PAINTERS[shape.shape]?.(context, shape, answer, owner);
  paintMidPoint(context, answer);
  if (answer.points.reconstructed && answer.figures.some(({ shape }) => shape.shape === "axes")) paintFeet(context, answer.points.reconstructed);
  if (answer.points.scores) paintSupport(context, answer);
  if (state.layers.links) paintLinks(context, answer);
}

// A model of one input and its target that knows Gaussians of both is shown by these.
function jointEllipses({ attributes }) {
  if (state.task !== "regression") return null;
  const [centers, covariances] = ["means", "covariances"].map((name) => attributes.find((a) => a.name === name)?.value);
  if (!Array.isArray(covariances) || centers?.[0]?.length !== 2 || covariances[0]?.[0]?.length !== 2) return null;
  return { shape: { shape: "ellipsoids", centers, covariances } };
}

function paintCentre(context, centre, index, arm = 8) {
  const [x, y] = state.task === "regression" ? toScreen(centre) : placed(centre);
  arm *= look.scale;
  context.lineWidth = 6 * look.scale;
  for (const style of [themed("canvas"), css(index)]) {
    context.strokeStyle = style;
    context.beginPath();
    context.moveTo(x - arm, y - arm);
    context.lineTo(x + arm, y + arm);
    context.moveTo(x + arm, y - arm);
    context.lineTo(x - arm, y + arm);
    context.stroke();
    context.lineWidth = 3 * look.scale;
  }
}

// One and two standard deviations of each component, in the colour of the class that owns all of them or in its own.
function paintEllipses(context, { centers, covariances }, answer, owner) {
  // Input and target of a regression are what the axes show.
  const [a, b] = state.task === "regression" ? [0, 1] : modelAxes();
  const list = rows(centers);
  list.forEach((centre, place) => {
    const index = owner ?? tint(answer, place);
    const matrix = rows(covariances[place]);
    // Along one column there is no ellipse, but a stretch of it.
    if (!matrix[a] || !matrix[b]) return paintStretch(context, centre, matrix, index);
    context.strokeStyle = css(index);
    for (const deviations of [1, 2]) {
      context.lineWidth = (3 - deviations * 0.75) * look.scale;
      context.beginPath();
      for (const place of ellipseOf([centre[a], centre[b]], [matrix[a][a], matrix[a][b], matrix[b][b]], deviations)) context.lineTo(...toScreen(place));
      context.stroke();
    }
    paintCentre(context, centre, index, list.length < MANY_ELLIPSES ? 8 : 4);
  });
}

// One and two standard deviations of a component that knows the horizontal axis alone.
function paintStretch(context, centre, matrix, index) {
  const deviation = Math.sqrt(Math.max(matrix[0]?.[0] ?? 0, 0));
  const bottom = edges().bottom;
  context.strokeStyle = css(index, 0.8);
  for (const times of [1, 2]) {
    context.lineWidth = (times === 1 ? 7 : 3) * look.scale;
    const [from, to] = [-1, 1].map((side) => toScreen([centre[0] + side * times * deviation, bottom]));
    context.beginPath();
    context.moveTo(from[0], from[1] - (24 + 7 * (index % 4)) * look.scale);
    context.lineTo(to[0], to[1] - (24 + 7 * (index % 4)) * look.scale);
    context.stroke();
  }
}

function paintAxes(context, { origin, directions }) {
  rows(directions).forEach((direction, index) => {
    const end = origin.map((value, axis) => value + direction[axis]);
    const [from, to] = [placed(origin), placed(end)];
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    for (const [style, width] of [[themed("canvas"), 6], [css(index + 4), 3]]) {
      context.strokeStyle = style;
      context.lineWidth = width * look.scale;
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(...to);
      for (const turn of [2.7, -2.7]) {
        context.moveTo(...to);
        context.lineTo(to[0] + 11 * look.scale * Math.cos(angle + turn), to[1] + 11 * look.scale * Math.sin(angle + turn));
      }
      context.stroke();
    }
  });
}

// Half way between the means of two classes, where a straight border between like clouds runs.
function paintMidPoint(context, { figures }) {
  const means = figures.find(({ shape }) => shape.shape === "points")?.shape;
  const straight = figures.some(({ shape }) => shape.shape === "hyperplanes");
  if (state.task !== "classification" || !straight || !means || rows(means.points).length !== 2) return;
  const [from, to] = rows(means.points).map(placed);
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.2 * look.scale;
  context.setLineDash([4 * look.scale, 4 * look.scale]);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = themed("ink");
  context.beginPath();
  context.arc((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, 5 * look.scale, 0, 2 * Math.PI);
  context.fill();
}

// From every point to where the projection puts it.
function paintFeet(context, reconstructed) {
  const { points } = state.drawing;
  if (points.length > 2000) return;
  context.strokeStyle = css(4, 0.55);
  context.fillStyle = css(4, 0.8);
  context.lineWidth = look.scale;
  context.beginPath();
  reconstructed.forEach((foot, index) => {
    if (!points[index]) return;
    context.moveTo(...visible(points[index].c));
    context.lineTo(...placed(foot));
  });
  context.stroke();
}

function paintBalls(context, { centers, radius }) {
  const [origin, corner] = [toScreen([0, 0]), toScreen([radius, radius])];
  const [wide, tall] = [Math.abs(corner[0] - origin[0]), Math.abs(corner[1] - origin[1])];
  const list = rows(centers);
  // One path for all, so that where balls overlap the shade stays the same.
  context.beginPath();
  for (const centre of list) {
    const [x, y] = placed(centre);
    context.moveTo(x + wide, y);
    context.ellipse(x, y, wide, tall, 0, 0, 2 * Math.PI);
  }
  context.fillStyle = css(null, 0.08);
  context.fill();
  if (list.length > MANY_BALLS) return;
  context.strokeStyle = css(null, 0.25);
  context.lineWidth = look.scale;
  context.stroke();
}

function paintEdges(context, { points, edges: pairs }) {
  const list = rows(points);
  context.strokeStyle = themed("faint");
  context.lineWidth = 1.5 * look.scale;
  context.beginPath();
  for (const [from, to] of pairs) {
    context.moveTo(...placed(list[from]));
    context.lineTo(...placed(list[to]));
  }
  context.stroke();
}

/** Hidden states along the strokes: each point and the way to it in the colour of its state. */
export function paintPaths(context, answer) {
  const { points } = state.drawing;
  context.lineWidth = 2 * look.scale;
  const half = 4 * look.scale;
  let before = null;
  strokes(points).flat().forEach((index, position) => {
    const p = points[index];
    const here = visible(p.c);
    const style = css(answer.points.states[position]);
    if (before && before.stroke === p.s) {
      context.strokeStyle = style;
      context.beginPath();
      context.moveTo(...before.here);
      context.lineTo(...here);
      context.stroke();
    }
    context.fillStyle = style;
    context.fillRect(here[0] - half, here[1] - half, 2 * half, 2 * half);
    before = { here, stroke: p.s };
  });
}

/** Points of each stroke in their order; points without a stroke make up one of their own. */
export function strokes(points) {
  const groups = new Map();
  points.forEach((p, index) => {
    if (!groups.has(p.s)) groups.set(p.s, []);
    groups.get(p.s).push(index);
  });
  return [...groups.values()];
}
