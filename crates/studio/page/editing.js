// Tools that change the points that are there, and the view.

import { label } from "./brushes.js";
import { size, toWorld, visible } from "./plane.js";
import { amend, changed, draw, state, trainingFlags } from "./state.js";

/** Pixels within which a point is taken hold of. */
const REACH = 24;

export const eraser = {
  name: "Eraser", key: "e", help: "Rub points out.",
  options: { radius: 22 },
  begin: (now) => rub(now.start, eraser.options.radius, () => null),
  move: (now, at) => rub(at, eraser.options.radius, () => null),
  outline: (now) => ({ tool: "circle", from: now.last, radius: eraser.options.radius }),
};

export const relabel = {
  name: "Relabel", key: "r", help: "Paint points with the current class.",
  options: { radius: 22 },
  begin: (now) => rub(now.start, relabel.options.radius, (p) => ({ ...p, k: label(now) })),
  move: (now, at) => rub(at, relabel.options.radius, (p) => ({ ...p, k: label(now) })),
  outline: (now) => ({ tool: "circle", from: now.last, radius: relabel.options.radius }),
};

export const select = {
  name: "Select", key: "x", way: true, help: "Drag a box around points; drag inside it to move them, Delete removes them.",
  keeps: (now) => !grasps(now.start),
  begin(now) {
    now.chosen = grasps(now.start) ? new Set(state.selected) : null;
    if (!now.chosen) state.selected = [];
  },
  move(now, at) {
    if (now.chosen) shift(now, at);
  },
  outline: (now) => (now.chosen ? null : { tool: "select", from: now.start, to: now.last }),
  finish(now, at) {
    if (!now.chosen) state.selected = inside(now.start, at);
  },
};

export const train = {
  name: "Hold back", key: "t", help: "Click points to hold them back from learning, or to learn from them again.",
  begin(now) {
    const index = nearest(now.start);
    if (index < 0) return;
    const learns = trainingFlags()?.[index] ?? true;
    const points = state.drawing.points.slice();
    points[index] = { ...points[index], t: !learns };
    amend({ ...state.drawing, points });
  },
};

export const mover = {
  name: "Move", key: "m", way: true, help: "Drag a point, or with what = class (or Shift) its whole class.",
  options: { what: "point" },
  begin: (now) => { now.chosen = held(now); },
  move: (now, at) => shift(now, at),
};

export const stretch = {
  name: "Stretch", key: "w", way: true, help: "Drag to stretch the selected points, or all, across and up about their middle.",
  begin(now) {
    const { points } = state.drawing;
    now.chosen = new Set(state.selected.length ? state.selected : points.keys());
    now.before = points;
    const count = Math.max(1, now.chosen.size);
    now.middle = state.axes.map((axis) => [...now.chosen].reduce((sum, index) => sum + points[index].c[axis], 0) / count);
  },
  move(now, at) {
    // A hundred pixels to the right double the width, to the left halve it; so up and down.
    const factors = [2 ** ((at[0] - now.start[0]) / 100), 2 ** ((now.start[1] - at[1]) / 100)];
    replace(now.before, now.chosen, (c) => state.axes.forEach((axis, i) => {
      c[axis] = now.middle[i] + factors[i] * (c[axis] - now.middle[i]);
    }));
  },
};

export const pan = {
  name: "Pan", key: "h", way: true, help: "Drag the plane; the wheel zooms.",
  keeps: () => true,
  move(now, at) {
    state.view.x -= ((at[0] - now.last[0]) / size.width) * state.view.across;
    state.view.y += ((at[1] - now.last[1]) / size.height) * state.view.up;
    changed("view");
  },
};

/** Removes the points of the selection. */
export function removeSelected() {
  if (!state.selected.length) return;
  const gone = new Set(state.selected);
  state.selected = [];
  draw({ ...state.drawing, points: state.drawing.points.filter((_, index) => !gone.has(index)) });
}

const distance = (p, at) => {
  const [x, y] = visible(p.c);
  return Math.hypot(x - at[0], y - at[1]);
};

// Whether a place lies on one of the selected points.
const grasps = (at) => state.selected.some((index) => distance(state.drawing.points[index], at) < REACH);

function inside(from, to) {
  const between = (v, i) => v >= Math.min(from[i], to[i]) && v <= Math.max(from[i], to[i]);
  return state.drawing.points.flatMap((p, index) => (visible(p.c).every(between) ? [index] : []));
}

function nearest(at) {
  let [best, least] = [-1, REACH];
  state.drawing.points.forEach((p, index) => {
    const far = distance(p, at);
    if (far < least) [best, least] = [index, far];
  });
  return best;
}

function rub(at, radius, change) {
  const changedPoints = state.drawing.points.map((p) => (distance(p, at) <= radius ? change(p) : p));
  amend({ ...state.drawing, points: changedPoints.filter(Boolean) });
}

function held(now) {
  const { points } = state.drawing;
  const index = nearest(now.start);
  if (index < 0) return new Set();
  if (!now.shift && mover.options.what === "point") return new Set([index]);
  return new Set(points.flatMap((p, other) => (p.k === points[index].k ? [other] : [])));
}

function shift(now, at) {
  const [from, to] = [toWorld(now.last), toWorld(at)];
  replace(state.drawing.points, now.chosen, (c) => state.axes.forEach((axis, i) => { c[axis] += to[i] - from[i]; }));
}

function replace(points, chosen, change) {
  const moved = points.slice();
  for (const index of chosen) {
    const c = points[index].c.slice();
    change(c);
    moved[index] = { ...points[index], c };
  }
  amend({ ...state.drawing, points: moved });
}
