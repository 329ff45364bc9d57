// Ways to a minimum as one sees them: down a curve with its tangents, through a valley, and up by bounds that touch.

import { ellipseOf } from "./ellipse.js";
import { frame, line } from "./dynamicsview.js";
import { css, themed } from "./palette.js";
import { range, sharp } from "./parts.js";
import { paintKey } from "./unitview.js";

function dot(context, [x, y], radius = 4) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}

function clipped(context, width, height) {
  context.save();
  context.beginPath();
  context.rect(34, 0, width - 44, height - 26);
  context.clip();
}

const cubic = (x) => x * x * (x - 2) + 2;

/** The curve x³ − 2x² + 2, the places on the way, and the tangent at the shown one. */
export function paintCurve(canvas, { path }, along) {
  const [context, width, height] = sharp(canvas);
  const seen = path.slice(0, along + 1);
  const [low, high] = [-1.2, 2.6];
  const place = frame(context, width, height, [low, high], [-2.5, 5], "x", "f(x)");
  clipped(context, width, height);
  context.strokeStyle = css(0);
  context.lineWidth = 2.5;
  line(context, Array.from({ length: 201 }, (_, index) => low + ((high - low) * index) / 200).map((x) => place([x, cubic(x)])));
  context.strokeStyle = context.fillStyle = css(4);
  context.lineWidth = 1.2;
  line(context, seen.map(([x, y]) => place([x, y])));
  seen.forEach(([x, y]) => dot(context, place([x, y]), 3));
  const [x, y, slope] = seen.at(-1);
  dot(context, place([x, y]), 6);
  // The tangent as an arrow: downhill, the longer the steeper.
  const reach = Math.min(0.8, 0.15 + 0.25 * Math.abs(slope)) * -Math.sign(slope || 1);
  context.strokeStyle = themed("ink");
  context.lineWidth = 2;
  const [from, to] = [place([x, y]), place([x + reach, y + slope * reach])];
  line(context, [place([x - reach, y - slope * reach]), to]);
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  for (const turn of [2.6, -2.6]) line(context, [to, [to[0] + 9 * Math.cos(angle + turn), to[1] + 9 * Math.sin(angle + turn)]]);
  context.restore();
}

/** How far the slope is from zero, step by step, as powers of ten. */
export function paintSlopes(canvas, { path }, along) {
  const [context, width, height] = sharp(canvas);
  const logs = path.map(([, , slope]) => Math.log10(Math.max(1e-12, Math.abs(slope))));
  const [low, high] = range(logs);
  const place = frame(context, width, height, [0, Math.max(1, path.length - 1)], [low - 0.5, high + 0.5], "step", "log₁₀ |f′(x)|");
  context.strokeStyle = context.fillStyle = css(4);
  context.lineWidth = 2;
  line(context, logs.map((value, step) => place([step, value])));
  dot(context, place([along, logs[along]]), 5);
}

/** Lines of equal height of the valley, and both ways down. */
export function paintValley(canvas, { matrix: [a, b, c], steepest, conjugate, asked }, along) {
  const [context, width, height] = sharp(canvas);
  const far = 1.25 * Math.max(...asked.start.map(Math.abs), 1);
  const wide = (far * (width - 44)) / (height - 40);
  const place = frame(context, width, height, [-wide, wide], [-far, far], "x₁", "x₂");
  clipped(context, width, height);
  const determinant = a * c - b * b;
  const inverse = [c / determinant, -b / determinant, a / determinant];
  const [x, y] = asked.start;
  const start = Math.sqrt(a * x * x + 2 * b * x * y + c * y * y);
  context.strokeStyle = css(0, 0.5);
  context.lineWidth = 1;
  for (const share of [0.1, 0.25, 0.45, 0.7, 1, 1.4, 1.9]) line(context, [...ellipseOf([0, 0], inverse, share * start)].map(place));
  for (const [path, ink, dash] of [[steepest, 4, []], [conjugate, 2, [7, 4]]]) {
    const seen = path.slice(0, along + 1).map(place);
    context.strokeStyle = context.fillStyle = css(ink);
    context.lineWidth = 2.2;
    context.setLineDash(dash);
    line(context, seen);
    context.setLineDash([]);
    seen.forEach((spot) => dot(context, spot, 3));
  }
  context.restore();
  paintKey(context, width, [["steepest descent", 4, []], ["conjugate gradients", 2, [7, 4]]]);
}

/** The three losses of a margin z. */
export const LOSSES = {
  "zero-one": (z) => (z <= 0 ? 1 : 0),
  hinge: (z) => Math.max(0, 1 - z),
  logistic: (z) => Math.log1p(Math.exp(-z)),
};

/** The losses over the margin, and their values at one. */
export function paintLosses(canvas, margin) {
  const [context, width, height] = sharp(canvas);
  const place = frame(context, width, height, [-3, 3], [-0.2, 4.2], "margin z", "loss");
  const dashes = { "zero-one": [], hinge: [7, 4], logistic: [2, 3] };
  Object.entries(LOSSES).forEach(([name, loss], ink) => {
    context.strokeStyle = context.fillStyle = css([0, 1, 2][ink]);
    context.lineWidth = 2.5;
    context.setLineDash(dashes[name]);
    const zs = Array.from({ length: 301 }, (_, index) => -3 + index / 50);
    for (const part of name === "zero-one" ? [zs.filter((z) => z <= 0), zs.filter((z) => z > 0)] : [zs]) line(context, part.map((z) => place([z, loss(z)])));
    context.setLineDash([]);
    dot(context, place([margin, loss(margin)]), 5);
  });
  context.strokeStyle = themed("faint");
  context.lineWidth = 1;
  line(context, [place([margin, -0.2]), place([margin, 4.2])]);
  paintKey(context, width, Object.keys(LOSSES).map((name, ink) => [name, ink, dashes[name]]));
}

/** The log-likelihood, the bound that was made at θ, and where its top leads. */
export function paintBound(canvas, { curves, theta, value, next, next_bound, next_value }) {
  const [context, width, height] = sharp(canvas);
  const [low, high] = range(curves.map(([, likelihood]) => likelihood));
  const room = 0.25 * (high - low || 1);
  const place = frame(context, width, height, [curves[0][0], curves.at(-1)[0]], [low - room, high + room], "θ", "log-likelihood");
  clipped(context, width, height);
  for (const [column, ink, dash] of [[1, 0, []], [2, 4, [7, 4]]]) {
    context.strokeStyle = css(ink);
    context.lineWidth = 2.5;
    context.setLineDash(dash);
    line(context, curves.map((entry) => place([entry[0], entry[column]])));
  }
  context.strokeStyle = themed("faint");
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  line(context, [place([next, next_bound]), place([next, next_value])]);
  context.setLineDash([]);
  context.fillStyle = themed("ink");
  dot(context, place([theta, value]), 6);
  context.fillStyle = css(4);
  dot(context, place([next, next_bound]), 5);
  context.fillStyle = css(0);
  dot(context, place([next, next_value]), 5);
  context.restore();
  paintKey(context, width, [["L(θ)", 0, []], ["bound at θₜ", 4, [7, 4]]]);
}
