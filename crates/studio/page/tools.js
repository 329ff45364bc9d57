// Drawing: what the mouse, the pen and the finger do with each tool.

import { amend, changed, draw, state, trainingFlags } from "./state.js";
import { size, toScreen, toWorld } from "./plane.js";

/** Tools with their keys and their settings. */
export const TOOLS = {
  brush: { name: "Brush", key: "b", help: "Click for a point, drag for a line of points." },
  airbrush: { name: "Airbrush", key: "a", help: "Hold to spray points.", radius: 40, rate: 6, shape: "normal" },
  line: { name: "Line", key: "l", help: "Drag a line; points scatter along it.", count: 30, spread: 6 },
  ellipse: { name: "Ellipse", key: "o", help: "Drag a box; points fill its ellipse.", count: 60 },
  stroke: { name: "Stroke", key: "s", help: "Drag a sequence: its points keep their order." },
  eraser: { name: "Eraser", key: "e", help: "Rub points out.", radius: 22 },
  relabel: { name: "Relabel", key: "r", help: "Paint points with the current class.", radius: 22 },
  select: { name: "Select", key: "x", help: "Drag a box around points; drag inside it to move them, Delete removes them." },
  train: { name: "Hold back", key: "t", help: "Click points to hold them back from learning, or to learn from them again.", radius: 12 },
  move: { name: "Move", key: "m", help: "Drag a point; with Shift its whole class." },
  pan: { name: "Pan", key: "h", help: "Drag the plane; the wheel zooms." },
};

let gesture = null;

/** Listens to the canvas. */
export function listen(canvas) {
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    gesture = { start: place(event, canvas), last: place(event, canvas), before: state.drawing, tool: event.button === 1 ? "pan" : state.tool, shift: event.shiftKey, other: event.button === 2 };
    begin(gesture);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!gesture) return;
    const at = place(event, canvas);
    move(gesture, at);
    gesture.last = at;
  });
  const end = (event) => {
    if (!gesture) return;
    finish(gesture, place(event, canvas));
    clearInterval(gesture.timer);
    gesture = null;
    changed("drawing");
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
}

/** The outline of what is being drawn, for the overlay. */
export function outline() {
  if (gesture && ["line", "ellipse"].includes(gesture.tool)) return { tool: gesture.tool, from: gesture.start, to: gesture.last };
  if (gesture?.tool === "select" && !gesture.chosen) return { tool: "select", from: gesture.start, to: gesture.last };
  return null;
}

function place(event, canvas) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}

// The right button draws with the class after the current one, as teachers of two classes like.
function label(now) {
  if (!now.other || state.current === null) return state.current;
  return (state.current + 1) % state.drawing.classes.length;
}

function point(now, at, stroke = null) {
  const [x, y] = toWorld(at);
  const c = hiddenCoordinates();
  c[state.axes[0]] = x;
  c[state.axes[1]] = y;
  return { c, k: label(now), s: stroke };
}

// Coordinates that are not shown get the mean of the others' there.
function hiddenCoordinates() {
  const { names, points } = state.drawing;
  return names.map((_, axis) => points.reduce((sum, p) => sum + p.c[axis], 0) / (points.length || 1));
}

function add(points) {
  amend({ ...state.drawing, points: state.drawing.points.concat(points) });
}

function begin(now) {
  const tool = TOOLS[now.tool];
  if (!["pan", "select"].includes(now.tool) || grasps(now.start)) draw(state.drawing);
  if (now.tool === "brush") add([point(now, now.start)]);
  if (now.tool === "stroke") {
    now.stroke = 1 + Math.max(-1, ...state.drawing.points.map((p) => p.s ?? -1));
    add([point(now, now.start, now.stroke)]);
  }
  if (now.tool === "airbrush") {
    const spray = () => add(Array.from({ length: tool.rate }, () => point(now, sprayed(now.last, tool))));
    spray();
    now.timer = setInterval(spray, 60);
  }
  if (now.tool === "eraser" || now.tool === "relabel") rub(now, now.start);
  if (now.tool === "move") now.chosen = chosen(now);
  if (now.tool === "select") {
    now.chosen = grasps(now.start) ? new Set(state.selected) : null;
    if (!now.chosen) state.selected = [];
  }
  if (now.tool === "train") toggle(now.start);
}

function move(now, at) {
  const far = Math.hypot(at[0] - now.last[0], at[1] - now.last[1]);
  if (now.tool === "brush" || now.tool === "stroke") {
    if (far < 9) {
      now.last = now.last.slice();
      at[0] = now.last[0];
      at[1] = now.last[1];
      return;
    }
    add([point(now, at, now.stroke ?? null)]);
  }
  if (now.tool === "eraser" || now.tool === "relabel") rub(now, at);
  if (now.tool === "pan") {
    state.view.x -= ((at[0] - now.last[0]) / size.width) * state.view.across;
    state.view.y += ((at[1] - now.last[1]) / size.height) * state.view.up;
    changed("view");
  }
  if (now.tool === "move" || (now.tool === "select" && now.chosen)) drag(now, at);
  if (outline()) changed("overlay");
}

function finish(now, at) {
  if (now.tool === "line") {
    const { count, spread } = TOOLS.line;
    add(Array.from({ length: count }, () => {
      const share = Math.random();
      return point(now, now.start.map((v, i) => v + share * (at[i] - v) + normal() * spread));
    }));
  }
  if (now.tool === "select" && !now.chosen) state.selected = inside(now.start, at);
  if (now.tool === "ellipse") {
    const middle = now.start.map((v, i) => (v + at[i]) / 2);
    add(Array.from({ length: TOOLS.ellipse.count }, () => {
      const angle = Math.random() * 2 * Math.PI;
      const radius = Math.sqrt(Math.random());
      const unit = [radius * Math.cos(angle), radius * Math.sin(angle)];
      return point(now, middle.map((v, i) => v + (unit[i] * Math.abs(at[i] - now.start[i])) / 2));
    }));
  }
}

// Whether a place lies on one of the selected points.
function grasps(at) {
  return state.selected.some((index) => {
    const [x, y] = shown(state.drawing.points[index]);
    return Math.hypot(x - at[0], y - at[1]) < 24;
  });
}

function inside(from, to) {
  const between = (v, i) => v >= Math.min(from[i], to[i]) && v <= Math.max(from[i], to[i]);
  return state.drawing.points.flatMap((p, index) => (shown(p).every(between) ? [index] : []));
}

/** Removes the points of the selection. */
export function removeSelected() {
  if (!state.selected.length) return;
  const gone = new Set(state.selected);
  state.selected = [];
  draw({ ...state.drawing, points: state.drawing.points.filter((_, index) => !gone.has(index)) });
}

// Holds the nearest point back from learning, or takes it in again.
function toggle(at) {
  let [best, least] = [-1, TOOLS.train.radius];
  state.drawing.points.forEach((p, index) => {
    const [x, y] = shown(p);
    const far = Math.hypot(x - at[0], y - at[1]);
    if (far < least) [best, least] = [index, far];
  });
  if (best < 0) return;
  const learns = trainingFlags()?.[best] ?? true;
  const points = state.drawing.points.slice();
  points[best] = { ...points[best], t: !learns };
  amend({ ...state.drawing, points });
}

function sprayed([x, y], { radius, shape }) {
  if (shape === "normal") return [x + (normal() * radius) / 2, y + (normal() * radius) / 2];
  const angle = Math.random() * 2 * Math.PI;
  const far = radius * Math.sqrt(Math.random());
  return [x + far * Math.cos(angle), y + far * Math.sin(angle)];
}

function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}

function shown(p) {
  return toScreen([p.c[state.axes[0]], p.c[state.axes[1]]]);
}

function rub(now, at) {
  const { radius } = TOOLS[now.tool];
  const near = (p) => {
    const [x, y] = shown(p);
    return Math.hypot(x - at[0], y - at[1]) <= radius;
  };
  const { points } = state.drawing;
  const kept = now.tool === "eraser" ? points.filter((p) => !near(p)) : points.map((p) => (near(p) ? { ...p, k: label(now) } : p));
  amend({ ...state.drawing, points: kept });
}

function chosen(now) {
  const { points } = state.drawing;
  let best = -1;
  let least = 24;
  points.forEach((p, index) => {
    const [x, y] = shown(p);
    const far = Math.hypot(x - now.start[0], y - now.start[1]);
    if (far < least) [best, least] = [index, far];
  });
  if (best < 0) return new Set();
  if (!now.shift) return new Set([best]);
  return new Set(points.map((p, index) => (p.k === points[best].k ? index : -1)).filter((index) => index >= 0));
}

function drag(now, at) {
  const [from, to] = [toWorld(now.last), toWorld(at)];
  const shift = [to[0] - from[0], to[1] - from[1]];
  const moved = state.drawing.points.map((p, index) => {
    if (!now.chosen.has(index)) return p;
    const c = p.c.slice();
    state.axes.forEach((axis, i) => { c[axis] += shift[i]; });
    return { ...p, c };
  });
  amend({ ...state.drawing, points: moved });
}
