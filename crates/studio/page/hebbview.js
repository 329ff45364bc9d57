// Weights of a Hebbian unit: over the steps, and as a vector among the inputs.

import { paintArrow } from "./arrow.js";
import { frame, line } from "./dynamicsview.js";
import { css, themed } from "./palette.js";
import { range, sharp } from "./parts.js";
import { paintKey } from "./unitview.js";

/** Both weights and their length over the inputs seen. */
export function paintWeights(canvas, { path }, along, bound) {
  const [context, width, height] = sharp(canvas);
  const norms = path.map(([a, b]) => Math.hypot(a, b));
  const [low, high] = range([...path.flat(), ...norms, 0, ...(bound ? [bound] : [])].map((value) => Math.max(-20, Math.min(20, value))));
  const room = 0.1 * (high - low || 1);
  const place = frame(context, width, height, [0, path.length - 1], [low - room, high + 2 * room], "inputs seen", "");
  context.save();
  context.beginPath();
  context.rect(34, 0, width - 44, height - 26);
  context.clip();
  if (bound) {
    context.strokeStyle = themed("ink");
    context.setLineDash([3, 4]);
    line(context, [place([0, bound]), place([path.length - 1, bound])]);
    context.setLineDash([]);
  }
  const curves = [["w₁", 0, path.map(([w]) => w), []], ["w₂", 1, path.map(([, w]) => w), []], ["‖w‖", 2, norms, [5, 4]]];
  for (const [, ink, values, dash] of curves) {
    context.strokeStyle = css(ink);
    context.lineWidth = 2;
    context.setLineDash(dash);
    line(context, values.map((value, step) => place([step, value])));
  }
  context.setLineDash([]);
  context.strokeStyle = themed("faint");
  context.lineWidth = 1;
  line(context, [place([along, low - room]), place([along, high + room])]);
  context.restore();
  paintKey(context, width, curves.map(([name, ink, , dash]) => [name, ink, dash]));
}

/** The inputs, the directions in which they vary most, and the way of the weights. */
export function paintVector(canvas, { path, axes, moments, asked }, along) {
  const [context, width, height] = sharp(canvas);
  const far = Math.max(1.2, ...asked.inputs.flat().map(Math.abs), ...path.slice(0, along + 1).flat().map((value) => Math.min(6, Math.abs(value))));
  // The same scale both ways, so that directions are what they are.
  const wide = far * ((width - 44) / (height - 40));
  const place = frame(context, width, height, [-wide, wide], [-far, far], "x₁, w₁", "x₂, w₂");
  context.save();
  context.beginPath();
  context.rect(34, 0, width - 44, height - 26);
  context.clip();
  context.fillStyle = themed("faint");
  context.globalAlpha = 0.4;
  for (const input of asked.inputs) {
    const [x, y] = place(input);
    context.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
  context.globalAlpha = 1;
  if (asked.inputs.length > 1 && moments[1] > 1e-9) {
    axes.forEach((axis, index) => {
      const long = 2 * Math.sqrt(Math.max(0, moments[index]));
      context.strokeStyle = themed("ink");
      context.lineWidth = index ? 1 : 2;
      context.setLineDash([2, 4]);
      line(context, [place(axis.map((part) => -long * part)), place(axis.map((part) => long * part))]);
    });
    context.setLineDash([]);
  }
  context.strokeStyle = css(4);
  context.lineWidth = 1.5;
  line(context, path.slice(0, along + 1).map(place));
  context.strokeStyle = context.fillStyle = css(4);
  context.lineWidth = 3;
  paintArrow(context, place([0, 0]), place(path[along]));
  context.restore();
}
