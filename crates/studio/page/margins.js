// Straight borders, the margins on either side of them, and the points that hold these.

import { paintArrow } from "./arrow.js";
import { paintCaption } from "./caption.js";
import { rows } from "./matrix.js";
import { themed } from "./palette.js";
import { edges, look, modelAxes, size, toScreen, visible } from "./plane.js";
import { state, trainingFlags } from "./state.js";

/** The lines of an answer, and where it has scores of two classes, their margins with the way between. */
export function paintLines(context, { normals, offsets }, answer) {
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
    paintWidth(context, normal, offsets[index]);
  });
}

/** The line w·x + b = 0 from edge to edge. */
export function paintLine(context, normal, offset) {
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

// From one margin straight to the other, near where the line leaves the picture: 2/‖w‖.
function paintWidth(context, normal, offset) {
  const along = modelAxes().map((axis) => normal[axis]);
  const square = along[0] ** 2 + along[1] ** 2;
  const foot = quietPlace(along, offset, square);
  if (!foot) return;
  const ends = [1, -1].map((side) => foot.map((value, axis) => value + (side * along[axis]) / square));
  const [from, to] = ends.map(toScreen);
  paintArrow(context, from, to);
  paintArrow(context, to, from);
  const right = from[0] > to[0] ? from : to;
  paintCaption(context, `2/‖w‖ = ${Number((2 / Math.sqrt(square)).toPrecision(3))}`, [right[0] + 55 * look.scale, right[1] + 4]);
}

// The place on the line, well inside the picture, that is farthest from all points: there the arrow is read easily.
function quietPlace([u, v], offset, square) {
  const { left, right, bottom, top } = edges();
  const middle = [(left + right) / 2, (bottom + top) / 2];
  const gap = (u * middle[0] + v * middle[1] + offset) / square;
  const reach = Math.hypot(right - left, top - bottom) / 2 / Math.sqrt(square);
  // Some hundred points tell as well as all where there is room.
  const { points } = state.drawing;
  const some = points.filter((_, index) => index % Math.ceil(points.length / 300) === 0);
  let [best, most] = [null, -1];
  for (let step = -20; step <= 20; step++) {
    const shift = (step / 20) * reach;
    const place = [middle[0] - gap * u - shift * v, middle[1] - gap * v + shift * u];
    const [x, y] = toScreen(place);
    if (x < 60 || y < 50 || x > size.width - 150 || y > size.height - 50) continue;
    const away = some.reduce((least, { c }) => {
      const [px, py] = visible(c);
      return Math.min(least, Math.hypot(px - x, py - y));
    }, Infinity);
    if (away > most) [best, most] = [place, away];
  }
  return best;
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

/** Thin rings on the margin, thick ones beyond it with an arrow back to the margin: their slack. */
export function paintSupport(context, answer) {
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
    paintArrow(context, [x, y], toScreen(modelAxes().map((axis, i) => c[state.axes[i]] + far * normal[axis])));
  }
}
