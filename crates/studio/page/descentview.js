// A descent as one sees it: over slope and offset, and as lines through the points.

import { ellipseOf } from "./ellipse.js";
import { css, themed } from "./palette.js";
import { sharp } from "./parts.js";
import { edges, look, ticks, toScreen } from "./plane.js";
import { state } from "./state.js";

const EDGE = 26;
/** Earlier lines that are drawn at most. */
const TRAIL = 24;
/** Lines of equal error, as shares of the error of the start above the least, by their roots. */
const RINGS = [0.1, 0.25, 0.45, 0.7, 1, 1.35, 1.75];

// What is seen of slope and offset: the bottom in the middle, the start well inside.
function region({ path: [start], bottom, hessian }) {
  const away = start.map((value, axis) => Math.abs(value - bottom[axis]));
  // The line of equal error through the start reaches so far to the sides and up and down.
  const [xx, xy, yy] = inverse(hessian);
  const height = Math.sqrt(quadratic(hessian, start.map((value, axis) => value - bottom[axis])));
  const reach = [Math.sqrt(xx) * height, Math.sqrt(yy) * height].map((value, axis) => 1.15 * Math.max(value, away[axis], 1e-9));
  return { low: bottom.map((value, axis) => value - reach[axis]), high: bottom.map((value, axis) => value + reach[axis]), height, inverse: [xx, xy, yy] };
}

const quadratic = ([a, b, c], [u, v]) => a * u * u + 2 * b * u * v + c * v * v;

function inverse([a, b, c]) {
  const determinant = a * c - b * b;
  return [c / determinant, -b / determinant, a / determinant];
}

const placer = ({ low, high }, width, height) => ([w, b]) => [
  EDGE + ((w - low[0]) / (high[0] - low[0])) * (width - 2 * EDGE),
  height - EDGE - ((b - low[1]) / (high[1] - low[1])) * (height - 2 * EDGE),
];

/** The slope and offset at a place of the canvas. */
export function startAt(canvas, [x, y]) {
  const { low, high } = region(state.hand.way);
  const shares = [(x - EDGE) / (canvas.clientWidth - 2 * EDGE), (canvas.clientHeight - EDGE - y) / (canvas.clientHeight - 2 * EDGE)];
  return shares.map((share, axis) => low[axis] + share * (high[axis] - low[axis]));
}

/** Lines of equal error, the bottom, and the way as far as it has been gone. */
export function paintBowl(canvas) {
  const { way, along } = state.hand;
  const [context, width, height] = sharp(canvas);
  const seen = region(way);
  const place = placer(seen, width, height);
  context.save();
  context.beginPath();
  context.rect(EDGE, 4, width - EDGE - 4, height - EDGE - 4);
  context.clip();
  context.strokeStyle = css(0, 0.55);
  context.lineWidth = 1;
  for (const ring of RINGS) {
    context.beginPath();
    for (const spot of ellipseOf(way.bottom, seen.inverse, ring * seen.height)) context.lineTo(...place(spot));
    context.stroke();
  }
  const [x, y] = place(way.bottom);
  context.strokeStyle = themed("ink");
  context.lineWidth = 2;
  context.beginPath();
  for (const [dx, dy] of [[5, 5], [-5, 5]]) {
    context.moveTo(x - dx, y - dy);
    context.lineTo(x + dx, y + dy);
  }
  context.stroke();
  paintPath(context, way.path.slice(0, along + 1).map(place));
  context.restore();
  context.fillStyle = themed("faint");
  const written = (value) => String(value).replace("-", "−");
  context.textAlign = "center";
  for (const w of ticks(seen.low[0], seen.high[0], 6)) context.fillText(written(w), place([w, 0])[0], height - 12);
  context.textAlign = "right";
  for (const b of ticks(seen.low[1], seen.high[1], 4)) context.fillText(written(b), EDGE - 4, place([0, b])[1] + 4);
  context.fillText("slope w", width - 6, height - 3);
  context.textAlign = "left";
  context.fillText("offset b", EDGE + 4, 14);
}

function paintPath(context, places) {
  context.strokeStyle = context.fillStyle = css(4);
  context.lineWidth = 1.5;
  context.beginPath();
  for (const place of places) context.lineTo(...place);
  context.stroke();
  places.forEach(([x, y], step) => {
    context.beginPath();
    context.arc(x, y, step === places.length - 1 ? 5 : 2, 0, 2 * Math.PI);
    context.fill();
  });
}

/** The line of the shown step through the points, over those of the steps before. */
export function paintWay(context) {
  const { way, along } = state.hand;
  const { left, right } = edges();
  const line = ([w, b]) => {
    context.beginPath();
    for (const x of [left, right]) context.lineTo(...toScreen([x, w * x + b]));
    context.stroke();
  };
  context.strokeStyle = themed("ink");
  context.lineWidth = look.scale;
  const from = Math.max(0, along - TRAIL);
  way.path.slice(from, along).forEach((spot, index, list) => {
    context.globalAlpha = 0.1 + (0.4 * (index + 1)) / (list.length + 1);
    line(spot);
  });
  context.globalAlpha = 1;
  context.strokeStyle = css(2);
  context.lineWidth = 3 * look.scale;
  line(way.path[along]);
}
