// Tools that add points.

import { toWorld } from "./plane.js";
import { amend, state } from "./state.js";

/** Pixels between two points of a drawn line. */
const APART = 9;

export const brush = {
  name: "Brush", key: "b", help: "Click for a point, drag for a line of points; the right button draws the next class.",
  begin: (now) => add([point(now, now.start)]),
  move: (now, at) => along(now, at),
};

export const airbrush = {
  name: "Airbrush", key: "a", help: "Hold to spray points.",
  options: { radius: 40, rate: 6, shape: "normal" },
  begin(now) {
    const spray = () => add(Array.from({ length: airbrush.options.rate }, () => point(now, sprayed(now.last, airbrush.options))));
    spray();
    now.timer = setInterval(spray, 60);
  },
  outline: (now) => ({ tool: "circle", from: now.last, radius: airbrush.options.radius }),
};

export const line = {
  name: "Line", key: "l", way: true, help: "Drag a line; points scatter along it.",
  options: { count: 30, spread: 6 },
  outline: (now) => ({ tool: "line", from: now.start, to: now.last }),
  finish(now, at) {
    const { count, spread } = line.options;
    add(Array.from({ length: count }, () => {
      const share = Math.random();
      return point(now, now.start.map((v, i) => v + share * (at[i] - v) + normal() * spread));
    }));
  },
};

export const ellipse = {
  name: "Ellipse", key: "o", way: true, help: "Drag a box; points fill its ellipse, turned by the angle.",
  options: { count: 60, angle: 0, shape: "uniform" },
  outline: (now) => ({ tool: "ellipse", from: now.start, to: now.last, angle: -radians() }),
  finish(now, at) {
    const middle = now.start.map((v, i) => (v + at[i]) / 2);
    const half = now.start.map((v, i) => Math.abs(at[i] - v) / 2);
    const [cos, sin] = [Math.cos(-radians()), Math.sin(-radians())];
    add(Array.from({ length: ellipse.options.count }, () => {
      // Of a normal cloud the outline holds two standard deviations.
      const [u, v] = ellipse.options.shape === "normal" ? [normal() / 2, normal() / 2] : inCircle();
      const [x, y] = [u * half[0], v * half[1]];
      return point(now, [middle[0] + x * cos - y * sin, middle[1] + x * sin + y * cos]);
    }));
  },
};

export const stroke = {
  name: "Stroke", key: "s", way: true, help: "Drag a sequence: its points keep their order.",
  begin(now) {
    now.stroke = 1 + state.drawing.points.reduce((most, { s }) => Math.max(most, s ?? -1), -1);
    add([point(now, now.start)]);
  },
  move: (now, at) => along(now, at),
};

const radians = () => (ellipse.options.angle * Math.PI) / 180;

function along(now, at) {
  if (Math.hypot(at[0] - now.last[0], at[1] - now.last[1]) < APART) return false;
  add([point(now, at)]);
  return true;
}

/** The class that a gesture draws: the right button the one after the current, as teachers of two classes like. */
export function label(now) {
  if (!now.other || state.current === null) return state.current;
  return (state.current + 1) % state.drawing.classes.length;
}

function point(now, at) {
  const [x, y] = toWorld(at);
  // Coordinates that are not shown get the mean of the others' there.
  now.hidden ??= means();
  const c = now.hidden.slice();
  c[state.axes[0]] = x;
  c[state.axes[1]] = y;
  return { c, k: label(now), s: now.stroke ?? null };
}

function means() {
  const { names, points } = state.drawing;
  return names.map((_, axis) => points.reduce((sum, p) => sum + p.c[axis], 0) / (points.length || 1));
}

function add(points) {
  amend({ ...state.drawing, points: state.drawing.points.concat(points) });
}

function sprayed([x, y], { radius, shape }) {
  const [u, v] = shape === "normal" ? [normal() / 2, normal() / 2] : inCircle();
  return [x + radius * u, y + radius * v];
}

function inCircle() {
  const angle = Math.random() * 2 * Math.PI;
  const far = Math.sqrt(Math.random());
  return [far * Math.cos(angle), far * Math.sin(angle)];
}

function normal() {
  return Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
}
