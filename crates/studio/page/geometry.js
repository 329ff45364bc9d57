// What a model draws of itself: centres, ellipses, axes, lines, balls, margins, paths.

import { css, themed, tint } from "./palette.js";
import { edges, look, modelAxes, placed, toScreen, visible } from "./plane.js";
import { state, trainingFlags } from "./state.js";

/** Beyond this many balls their outlines are left out. */
const MANY_BALLS = 1500;

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
  const joint = jointEllipses(answer);
  for (const { shape } of joint ? [joint] : answer.figures) PAINTERS[shape.shape]?.(context, shape, answer);
  if (answer.points.reconstructed && answer.figures.some(({ shape }) => shape.shape === "axes")) paintFeet(context, answer.points.reconstructed);
  if (answer.points.scores) paintSupport(context, answer);
}

// A model of one input and its target that knows Gaussians of both is shown by these.
function jointEllipses({ attributes }) {
  if (state.task !== "regression") return null;
  const [centers, covariances] = ["means", "covariances"].map((name) => attributes.find((a) => a.name === name)?.value);
  if (!Array.isArray(covariances) || centers?.[0]?.length !== 2 || covariances[0]?.[0]?.length !== 2) return null;
  return { shape: { shape: "ellipsoids", centers, covariances } };
}

/** A matrix of the library (ndarray) as a list of rows. */
export function rows(matrix) {
  if (Array.isArray(matrix)) return matrix;
  const [count, width] = matrix.dim;
  return Array.from({ length: count }, (_, row) => matrix.data.slice(row * width, (row + 1) * width));
}

function paintCentre(context, centre, index) {
  const [x, y] = state.task === "regression" ? toScreen(centre) : placed(centre);
  const arm = 8 * look.scale;
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

function paintEllipses(context, { centers, covariances }, answer) {
  // Input and target of a regression are what the axes show.
  const [a, b] = state.task === "regression" ? [0, 1] : modelAxes();
  rows(centers).forEach((centre, place) => {
    const index = tint(answer, place);
    const matrix = rows(covariances[place]);
    // Along one column there is no ellipse, but a stretch of it.
    if (!matrix[a] || !matrix[b]) return paintStretch(context, centre, matrix, index);
    const [xx, xy, yy] = [matrix[a][a], matrix[a][b], matrix[b][b]];
    context.strokeStyle = css(index);
    for (const deviations of [1, 2]) {
      context.lineWidth = (3 - deviations * 0.75) * look.scale;
      context.beginPath();
      // The ellipse is the image of the unit circle under a root of the covariance.
      const root = Math.sqrt(Math.max(xx, 0));
      const lower = root ? xy / root : 0;
      const rest = Math.sqrt(Math.max(yy - lower * lower, 0));
      for (let turn = 0; turn <= 64; turn++) {
        const angle = (turn / 64) * 2 * Math.PI;
        const [u, v] = [deviations * Math.cos(angle), deviations * Math.sin(angle)];
        context.lineTo(...toScreen([centre[a] + root * u, centre[b] + lower * u + rest * v]));
      }
      context.stroke();
    }
    paintCentre(context, centre, index);
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

function paintLines(context, { normals, offsets }, answer) {
  // The line of a regression is its curve, which is drawn already.
  if (state.task === "regression") return;
  context.strokeStyle = themed("ink");
  rows(normals).forEach((normal, index) => {
    if (normal.length !== 2) return;
    context.lineWidth = 2 * look.scale;
    paintLine(context, normal, offsets[index]);
    if (!answer.points.scores) return;
    // The margins H₁ and H₂: where the score is one and minus one.
    context.lineWidth = 1.5 * look.scale;
    context.setLineDash([7 * look.scale, 5 * look.scale]);
    for (const level of [1, -1]) paintLine(context, normal, offsets[index] - level);
    context.setLineDash([]);
  });
}

// The line w·x + b = 0 from edge to edge.
function paintLine(context, normal, offset) {
  const { left, right, bottom, top } = edges();
  const [u, v] = modelAxes().map((axis) => normal[axis]);
  context.beginPath();
  if (Math.abs(v) > Math.abs(u)) {
    for (const x of [left, right]) context.lineTo(...toScreen([x, -(u * x + offset) / v]));
  } else if (u) {
    for (const y of [bottom, top]) context.lineTo(...toScreen([-(v * y + offset) / u, y]));
  }
  context.stroke();
}

/**
 * The points that hold the margins: those on them and those beyond, on the wrong side.
 * @returns {{index: number, slack: number, side: number}[]}
 */
export function supports({ points }) {
  const list = [];
  const training = trainingFlags();
  // The second of the two classes that were drawn lies on the side of scores above zero.
  const second = state.drawing.points.reduce((most, { k }) => Math.max(most, k ?? -1), -1);
  state.drawing.points.forEach(({ k }, index) => {
    if (k === null || points.scores[index] === undefined || training?.[index] === false) return;
    const side = k === second ? 1 : -1;
    const slack = 1 - side * points.scores[index];
    if (slack > -0.02) list.push({ index, slack: Math.max(slack, 0), side });
  });
  return list;
}

// Thin rings on the margin, thick ones beyond it with a line back to the margin: their slack.
function paintSupport(context, answer) {
  const plane = answer.figures.find(({ shape }) => shape.shape === "hyperplanes")?.shape;
  const normal = plane && rows(plane.normals)[0];
  for (const { index, slack, side } of supports(answer)) {
    const { c } = state.drawing.points[index];
    const [x, y] = visible(c);
    context.strokeStyle = themed("ink");
    context.lineWidth = (slack > 0.02 ? 2.5 : 1.2) * look.scale;
    context.beginPath();
    context.arc(x, y, 7 * look.scale, 0, 2 * Math.PI);
    context.stroke();
    if (slack <= 0.02 || normal?.length !== 2) continue;
    const far = (side * slack) / (normal[0] ** 2 + normal[1] ** 2);
    context.lineWidth = look.scale;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(...toScreen(modelAxes().map((axis, i) => c[state.axes[i]] + far * normal[axis])));
    context.stroke();
  }
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
