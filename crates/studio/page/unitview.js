// A single unit as one sees it: its diagram, its transfer function with the slope, and its answers over two inputs.

import { contour } from "./contour.js";
import { frame, line } from "./dynamicsview.js";
import { paintGraph, short } from "./netgraph.js";
import { css, themed } from "./palette.js";
import { range, sharp } from "./parts.js";

/** The unit with its bias and its weights, after the answer to one corner. */
export function paintUnit(canvas, { weights: [bias, first, second] }, { corner, outputs, sign }) {
  const [context, width, height] = sharp(canvas);
  const [a, b] = corner;
  const nodes = [
    { at: [0.18, 0.2], kind: "bias", value: 1, name: "bias" },
    { at: [0.18, 0.54], value: a, name: "x₁" },
    { at: [0.18, 0.86], value: b, name: "x₂" },
    { at: [0.62, 0.54], mark: sign, name: "Σ, f" },
    { at: [0.9, 0.54], value: outputs, name: "y" },
  ];
  const edges = [{ from: 0, to: 3, weight: bias, called: "w₀" }, { from: 1, to: 3, weight: first, called: "w₁" }, { from: 2, to: 3, weight: second, called: "w₂" }];
  paintGraph(context, { nodes, edges }, [0, 0, width, height], 15);
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.3;
  line(context, [[0.62 * width + 15, 0.54 * height], [0.9 * width - 15, 0.54 * height]]);
  context.fillStyle = themed("faint");
  context.textAlign = "center";
  context.fillText(`s = ${short(bias + first * a + second * b)}`, 0.62 * width, 0.54 * height + 32);
  context.textAlign = "left";
}

/** The transfer function over the sum, and its derivative. */
export function paintTransfer(canvas, { curve }, jump) {
  const [context, width, height] = sharp(canvas);
  const [low, high] = range(curve.flatMap(([, value, slope]) => [value, slope]).concat(0).map((value) => Math.max(-2, Math.min(2, value))));
  const room = 0.1 * (high - low || 1);
  const place = frame(context, width, height, [curve[0][0], curve.at(-1)[0]], [low - room, high + room], "s", "");
  context.save();
  context.beginPath();
  context.rect(34, 0, width - 44, height - 26);
  context.clip();
  for (const [column, ink, dash] of [[2, 4, [6, 4]], [1, 0, []]]) {
    context.strokeStyle = css(ink);
    context.lineWidth = 2.5;
    context.setLineDash(dash);
    // A step has no rise in between: it jumps.
    const parts = jump && column === 1 ? [curve.filter(([s]) => s < 0), curve.filter(([s]) => s >= 0)] : [curve];
    for (const part of parts) line(context, part.map((entry) => place([entry[0], entry[column]])));
  }
  context.setLineDash([]);
  if (jump) {
    context.fillStyle = css(0);
    context.beginPath();
    context.arc(...place([0, 1]), 4, 0, 2 * Math.PI);
    context.fill();
  }
  context.restore();
  paintKey(context, width, [["f(s)", 0, []], ["f′(s)", 4, [6, 4]]]);
}

/** Lines with what they are, at the top. */
export function paintKey(context, width, entries) {
  let x = width - 14;
  context.textAlign = "right";
  for (const [words, ink, dash] of [...entries].reverse()) {
    context.fillStyle = themed("ink");
    context.fillText(words, x, 14);
    x -= context.measureText(words).width + 6;
    context.strokeStyle = css(ink);
    context.lineWidth = 2.5;
    context.setLineDash(dash);
    line(context, [[x - 20, 10], [x, 10]]);
    context.setLineDash([]);
    x -= 32;
  }
  context.textAlign = "left";
}

/** The answers of the unit over its two inputs, the border where they pass ½, and the four corners. */
export function paintPlane(canvas, { map, outputs }, targets) {
  const [context, width, height] = sharp(canvas);
  const place = frame(context, width, height, [map.low, map.high], [map.low, map.high], "x₁", "x₂");
  const [left, top] = place([map.low, map.high]);
  const [right, bottom] = place([map.high, map.low]);
  // Whole pixels, so that no seams are seen between the cells.
  const column = (index) => Math.round(left + (index * (right - left)) / map.side);
  const row = (index) => Math.round(bottom - (index * (bottom - top)) / map.side);
  map.values.forEach((value, index) => {
    context.fillStyle = css(value >= 0.5 ? 1 : 0, Math.min(0.75, 1.3 * Math.abs(value - 0.5)));
    const [across, up] = [index % map.side, Math.floor(index / map.side)];
    context.fillRect(column(across), row(up + 1), column(across + 1) - column(across), row(up) - row(up + 1));
  });
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.6;
  const pieces = contour(map.values, map.side, map.side, 0.5);
  for (let at = 0; at < pieces.length; at += 4) {
    line(context, [[left + pieces[at] * (right - left), bottom - pieces[at + 1] * (bottom - top)], [left + pieces[at + 2] * (right - left), bottom - pieces[at + 3] * (bottom - top)]]);
  }
  [[0, 0], [0, 1], [1, 0], [1, 1]].forEach((corner, index) => {
    const [x, y] = place(corner);
    context.beginPath();
    context.arc(x, y, 9, 0, 2 * Math.PI);
    context.fillStyle = css(targets[index] ? 1 : 0);
    context.fill();
    const right = outputs[index] >= 0.5 === targets[index] >= 0.5;
    context.strokeStyle = right ? themed("ink") : themed("bad");
    context.lineWidth = right ? 1.3 : 4;
    context.stroke();
    context.fillStyle = themed("ink");
    context.textAlign = "center";
    context.fillText(short(outputs[index]), x, y - 14);
  });
  context.textAlign = "left";
}
