// Planes with lines of equal height: of weights and of points.

import { contour } from "./contour.js";
import { frame, line } from "./dynamicsview.js";
import { css, themed } from "./palette.js";
import { sharp } from "./parts.js";

/** A square about zero with its axes; gives the context, where things lie, and a painter of lines of equal height. */
export function plane(canvas, [low, high], [across, up]) {
  const [context, width, height] = sharp(canvas);
  const place = frame(context, width, height, [low, high], [low, high], across, up);
  const [left, top] = place([low, high]);
  const [right, bottom] = place([high, low]);
  // Grids come row by row from the bottom; the middles of the outermost cells lie on the edge.
  const stroke = (values, side, level) => {
    const pieces = contour(values, side, side, level);
    const stretched = (share) => (share * side - 0.5) / (side - 1);
    context.beginPath();
    for (let at = 0; at < pieces.length; at += 4) {
      context.moveTo(left + stretched(pieces[at]) * (right - left), bottom - stretched(pieces[at + 1]) * (bottom - top));
      context.lineTo(left + stretched(pieces[at + 2]) * (right - left), bottom - stretched(pieces[at + 3]) * (bottom - top));
    }
    context.stroke();
  };
  const fill = (values, side, shade) => {
    const [column, row] = [(index) => Math.round(left + (index * (right - left)) / side), (index) => Math.round(bottom - (index * (bottom - top)) / side)];
    values.forEach((value, index) => {
      context.fillStyle = shade(value);
      const [x, y] = [index % side, Math.floor(index / side)];
      context.fillRect(column(x), row(y + 1), column(x + 1) - column(x), row(y) - row(y + 1));
    });
  };
  return { context, place, stroke, fill };
}

/** A belief about two weights: rings at shares of its largest value. */
export function paintBelief(canvas, shares, { side, reach }, best) {
  const { context, place, stroke, fill } = plane(canvas, [-reach, reach], ["w₁", "w₂"]);
  const most = Math.max(...shares);
  fill(shares, side, (share) => css(0, 0.6 * (share / most)));
  context.strokeStyle = themed("ink");
  context.lineWidth = 1;
  for (const level of [0.05, 0.2, 0.4, 0.6, 0.8]) stroke(shares, side, level * most);
  if (!best) return;
  const [x, y] = place(best);
  context.strokeStyle = css(4);
  context.lineWidth = 2.5;
  line(context, [[x - 5, y - 5], [x + 5, y + 5]]);
  line(context, [[x - 5, y + 5], [x + 5, y - 5]]);
}

/** Points by their class, round and square, so that they are told apart without colours. */
export function paintPoints(context, place, points, signs) {
  points.forEach((point, index) => {
    const [x, y] = place(point);
    context.beginPath();
    if (signs[index] > 0) context.arc(x, y, 5, 0, 2 * Math.PI);
    else context.rect(x - 4.5, y - 4.5, 9, 9);
    context.fillStyle = css(signs[index] > 0 ? 1 : 0);
    context.fill();
    context.strokeStyle = themed("ink");
    context.lineWidth = 1;
    context.stroke();
  });
}

const LEVELS = [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9];

/** Probabilities over the plane of the points: lines of equal probability, that of ½ thick. */
export function paintChances(canvas, chances, side, [low, high], points, signs) {
  const { context, place, stroke, fill } = plane(canvas, [low, high], ["x₁", "x₂"]);
  fill(chances, side, (chance) => css(chance > 0.5 ? 1 : 0, Math.abs(chance - 0.5)));
  context.strokeStyle = themed("ink");
  context.lineWidth = 1;
  for (const level of LEVELS) stroke(chances, side, level);
  context.lineWidth = 3;
  stroke(chances, side, 0.5);
  paintPoints(context, place, points, signs);
}
