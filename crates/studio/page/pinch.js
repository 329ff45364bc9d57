// Two fingers zoom and move the plane.

import { zoom } from "./plane.js";
import { changed } from "./state.js";

/**
 * Listens for a second finger; `interrupt` ends what the first one had begun. Says whether two are down.
 * @param {(event: PointerEvent) => number[]} place
 */
export function pinch(canvas, place, interrupt) {
  const fingers = new Map();
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, place(event));
    if (fingers.size === 2) interrupt();
  }, { capture: true });
  canvas.addEventListener("pointermove", (event) => {
    if (!fingers.has(event.pointerId)) return;
    const before = [...fingers.values()];
    fingers.set(event.pointerId, place(event));
    if (fingers.size === 2) follow(before, [...fingers.values()]);
  });
  for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
  return () => fingers.size >= 2;
}

function follow([a, b], [c, d]) {
  const apart = ([x, y], [u, v]) => Math.max(1, Math.hypot(x - u, y - v));
  const middle = ([x, y], [u, v]) => [(x + u) / 2, (y + v) / 2];
  const [from, to] = [middle(a, b), middle(c, d)];
  zoom(apart(a, b) / apart(c, d), to, from);
  changed("view");
}
