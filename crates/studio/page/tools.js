// The tools, and what the mouse, the pen, the finger and the keyboard do with them.

import { airbrush, brush, ellipse, line, stroke } from "./brushes.js";
import { eraser, mover, pan, relabel, select, stretch, train } from "./editing.js";
import { pinch } from "./pinch.js";
import { fitted, size } from "./plane.js";
import { changed, draw, dropUnchanged, state } from "./state.js";

/**
 * @typedef {{start: number[], last: number[], tool: string, shift: boolean, other: boolean}} Gesture
 *   where it began and where it is, in pixels; whether Shift or the other button is held
 * @typedef {{name: string, key: string, help: string, options?: Object,
 *   begin?: Function, move?: Function, finish?: Function, outline?: Function, keeps?: Function, way?: boolean}} Tool
 *   `keeps` says that a gesture that begins there changes no point, so that there is nothing to undo;
 *   `way` that it takes more than one place to use the tool
 */

/** @type {Object<string, Tool>} */
export const TOOLS = { brush, airbrush, line, ellipse, stroke, eraser, relabel, select, train, move: mover, stretch, pan };

/** Where the keyboard draws. */
export const cursor = { at: [0, 0], shown: false };

let gesture = null;

/** Listens to the canvas. */
export function listen(canvas) {
  const place = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const pinching = pinch(canvas, place, () => gesture && finish(gesture.last));
  canvas.addEventListener("pointerdown", (event) => {
    if (pinching()) return;
    canvas.setPointerCapture(event.pointerId);
    cursor.shown = false;
    begin(place(event), { tool: event.button === 1 ? "pan" : state.tool, shift: event.shiftKey, other: event.button === 2 });
  });
  canvas.addEventListener("pointermove", (event) => {
    if (gesture) move(place(event));
  });
  const end = (event) => {
    if (gesture) finish(place(event));
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("keydown", (event) => {
    if (byKeyboard(event)) event.preventDefault();
  });
  canvas.addEventListener("blur", () => {
    cursor.shown = false;
    changed("overlay");
  });
}

function begin(at, { tool, shift, other }) {
  fitted.on = false;
  gesture = { start: at, last: at, tool, shift, other };
  const { keeps, begin: start } = TOOLS[tool];
  gesture.changes = !keeps?.(gesture);
  if (gesture.changes) draw(state.drawing);
  start?.(gesture);
}

function move(at) {
  // A tool that takes points only every so often says so, and then the way goes on from there.
  if (TOOLS[gesture.tool].move?.(gesture, at) !== false) gesture.last = at;
  if (outline()) changed("overlay");
}

function finish(at) {
  TOOLS[gesture.tool].finish?.(gesture, at);
  clearInterval(gesture.timer);
  if (gesture.changes) dropUnchanged();
  gesture = null;
  changed("drawing");
}

/** The outline of what is being drawn, for the overlay. */
export const outline = () => (gesture && TOOLS[gesture.tool].outline?.(gesture)) || null;

/** Whether a gesture goes on. */
export const drawing = () => gesture !== null;

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// Arrows move a cursor, Enter uses the tool there; held down over a move it draws along the way.
function byKeyboard(event) {
  const step = STEPS[event.key];
  if (!step && event.key !== "Enter") return false;
  if (!cursor.shown) {
    const inside = cursor.at.every((value, axis) => value > 0 && value < [size.width, size.height][axis]);
    if (!inside) cursor.at = [size.width / 2, size.height / 2];
    cursor.shown = true;
  }
  if (step) {
    const far = event.shiftKey ? 2 : 16;
    const limits = [size.width, size.height];
    cursor.at = cursor.at.map((value, axis) => Math.min(limits[axis], Math.max(0, value + far * step[axis])));
    if (gesture) move(cursor.at);
  } else if (gesture) {
    finish(cursor.at);
  } else {
    begin(cursor.at, { tool: state.tool, shift: false, other: event.shiftKey });
    // Tools that need a way stay down until Enter is pressed again.
    if (!TOOLS[state.tool].way) finish(cursor.at);
  }
  changed("overlay");
  return true;
}
