// A line with a head.

import { look } from "./plane.js";

/** A line with a head at its end. */
export function paintArrow(context, from, to) {
  const long = Math.hypot(to[0] - from[0], to[1] - from[1]);
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  const head = Math.min(8 * look.scale, 0.6 * long);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  for (const turn of [2.6, -2.6]) {
    context.moveTo(...to);
    context.lineTo(to[0] + head * Math.cos(angle + turn), to[1] + head * Math.sin(angle + turn));
  }
  context.stroke();
}
