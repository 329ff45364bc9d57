// A line by hand through the middle of the points, with its tube and its margin.

import { paintArrow } from "./arrow.js";
import { paintCaption } from "./caption.js";
import { columnMeans } from "./pairs.js";
import { css } from "./palette.js";
import { edges, look, toScreen } from "./plane.js";
import { state } from "./state.js";

/** The line by hand: its slope, through the middle of the points. */
export function handLine() {
  const [x, y] = columnMeans(state.axes);
  const { slope } = state.hand;
  return { slope, offset: y - slope * x, middle: [x, y] };
}

/** The line by hand, its tube and its margin. */
export function paintHandLine(context, tube) {
  const { slope, offset, middle } = handLine();
  const { left, right } = edges();
  const line = (off) => {
    context.beginPath();
    for (const x of [left, right]) context.lineTo(...toScreen([x, slope * x + offset + off]));
  };
  context.fillStyle = css(2, 0.14);
  line(tube);
  for (const x of [right, left]) context.lineTo(...toScreen([x, slope * x + offset - tube]));
  context.fill();
  context.strokeStyle = css(2);
  context.lineWidth = 2.5 * look.scale;
  line(0);
  context.stroke();
  context.lineWidth = 1.5 * look.scale;
  context.setLineDash([7 * look.scale, 5 * look.scale]);
  for (const side of [1, -1]) {
    line(side * tube);
    context.stroke();
  }
  context.setLineDash([]);
  if (Math.abs(slope) > 1e-9) paintMarginPoints(context, { slope, middle }, tube);
}

/**
 * Two places on a line that are as far apart as the margin: level between them the arrow, upright the
 * two halves of the 2ε by which the line differs there.
 */
export function paintMarginPoints(context, { slope, middle: [x, y] }, tube) {
  const half = tube / Math.abs(slope);
  const [from, to] = [-half, half].map((off) => toScreen([x + off, y]));
  context.lineWidth = 2 * look.scale;
  paintArrow(context, from, to);
  paintArrow(context, to, from);
  context.lineWidth = look.scale;
  context.fillStyle = context.strokeStyle;
  for (const off of [-half, half]) {
    const [level, spot] = [toScreen([x + off, y]), toScreen([x + off, y + slope * off])];
    context.beginPath();
    context.moveTo(...level);
    context.lineTo(...spot);
    context.stroke();
    context.beginPath();
    context.arc(...spot, 5 * look.scale, 0, 2 * Math.PI);
    context.fill();
  }
  paintCaption(context, `m = 2ε/|w| = ${Number((2 * half).toPrecision(3))}`, [(from[0] + to[0]) / 2, from[1] + (slope > 0 ? 22 : -12) * look.scale]);
}
