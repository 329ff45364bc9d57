// What is drawn and chosen, with undo and redo of everything that changes the points.

/**
 * @typedef {{c: number[], k: number|null, s: number|null, t?: boolean}} Point
 *   coordinates, class, the stroke that it belongs to, and whether it is learned from where that
 *   was chosen by hand
 * @typedef {{names: string[], points: Point[], classes: string[]}} Drawing
 * @typedef {{algorithm: string, parameters: Object}} Step
 */

/** What is seen of the picture unless somebody says otherwise. */
export const LAYERS = { samples: true, labels: true, predictions: false, outcomes: false, geometry: true, links: false, map: true, shading: false, descent: false, grid: true, legend: true, marginals: false };

export const state = {
  /** @type {Drawing} */
  drawing: { names: ["x0", "x1"], points: [], classes: ["A", "B"] },
  axes: [0, 1],
  /** @type {Step[]} */
  steps: [],
  task: "classification",
  share: 100,
  /** Of every hundred classes so many are known when groups are judged. */
  known: 100,
  /** How many standard deviations the bands around a curve reach. */
  bands: 2,
  seed: 0,
  layers: { ...LAYERS },
  /** How many columns make up the first of two views; half of them where nothing is said. */
  split: null,
  /** Whether methods see the two shown coordinates alone. */
  visibleOnly: false,
  view: { x: 0, y: 0, across: 10, up: 10 },
  tool: "brush",
  current: 0,
  /** Indices of the points in the selection. */
  selected: [],
  step: null,
  /**
   * What is moved by hand over a model: which pair of variates and how long its weights are drawn, the
   * slope of a line in place of the fitted one, the way of a descent and how far along it one is.
   */
  hand: { pair: 0, length: 1, slope: null, way: null, along: 0 },
};

const past = [];
const future = [];
const listeners = [];

/**
 * Calls back whenever something changes; `what` is "drawing", "method", "parameters", "view" or,
 * where only the topmost layer has to be painted, "overlay".
 */
export function onChange(listener) {
  listeners.push(listener);
}

/** Tells everybody that something changed. */
export function changed(what) {
  for (const listener of listeners) listener(what);
}

/** Replaces the drawing; the old one can be had back. */
export function draw(drawing) {
  past.push(state.drawing);
  future.length = 0;
  state.drawing = drawing;
  afterDrawing();
}

/** Replaces the drawing without a new entry: for the many small changes of one gesture. */
export function amend(drawing) {
  state.drawing = drawing;
  afterDrawing();
}

/** Forgets the last entry where its gesture changed nothing after all, so that undo always does something. */
export function dropUnchanged() {
  const before = past.at(-1);
  const { points, names, classes } = state.drawing;
  const same = before && before.names === names && before.classes === classes && before.points.length === points.length && before.points.every((p, index) => p === points[index]);
  if (same) state.drawing = past.pop();
}

export function undo() {
  if (!past.length) return;
  future.push(state.drawing);
  state.drawing = past.pop();
  afterDrawing();
}

export function redo() {
  if (!future.length) return;
  past.push(state.drawing);
  state.drawing = future.pop();
  afterDrawing();
}

export const canUndo = () => past.length > 0;
export const canRedo = () => future.length > 0;

function afterDrawing() {
  // Points keep their places while they are moved; a selection of other points is over.
  if (state.selected.some((index) => index >= state.drawing.points.length)) state.selected = [];
  const last = state.drawing.names.length - 1;
  state.axes = state.axes.map((axis) => Math.min(axis, last));
  state.current = state.current === null ? null : Math.min(state.current, state.drawing.classes.length - 1);
  changed("drawing");
}

/** Which points are learned from: those chosen by hand, else the first share of a fixed shuffle. */
export function trainingFlags() {
  const { points } = state.drawing;
  if (state.share >= 100 && !points.some((p) => p.t === false)) return null;
  return points.map((p, index) => p.t ?? shuffled(index) * 100 < state.share);
}

/** The class of each point that is known when groups are judged: of each class a share, spread evenly. */
export function knownClasses() {
  const share = state.known / 100;
  const counts = [];
  return state.drawing.points.map(({ k }) => {
    if (k === null || k === undefined) return null;
    counts[k] = (counts[k] ?? 0) + 1;
    return Math.ceil(counts[k] * share) > Math.ceil((counts[k] - 1) * share) ? k : null;
  });
}

// A number between 0 and 1 that depends on the index alone, so that points keep their part.
function shuffled(index) {
  let bits = (index + 1) * 2654435761;
  bits = Math.imul(bits ^ (bits >>> 15), 2246822519);
  bits = Math.imul(bits ^ (bits >>> 13), 3266489917);
  return ((bits ^ (bits >>> 16)) >>> 0) / 4294967296;
}

/** The coordinates that methods learn from. */
export const seen = (point) => (state.visibleOnly ? state.axes.map((axis) => point.c[axis]) : point.c);

/** How many columns make up the first of two views: at least one, and at least one is left. */
export const splitAt = (width = state.drawing.names.length) => Math.max(1, Math.min(width - 1, state.split ?? Math.floor(width / 2)));

/** The part of the state that makes up a session. */
export function session() {
  const { drawing, axes, steps, task, share, known, bands, view, layers, split, visibleOnly } = state;
  const rounded = drawing.points.map((p) => [p.c.map((v) => Number(v.toPrecision(7))), p.k, p.s, ...(p.t === undefined ? [] : [p.t])]);
  return { version: 1, names: drawing.names, classes: drawing.classes, points: rounded, axes, steps, task, share, known, bands, view, layers, split, visibleOnly };
}

/** Takes a session over; fails with a sentence where it is none. */
export function restore(saved) {
  if (!saved || saved.version !== 1 || !Array.isArray(saved.points)) throw new Error("this is no session of the studio");
  const points = saved.points.map(([c, k, s, t]) => {
    if (!Array.isArray(c) || c.some((v) => !Number.isFinite(v))) throw new Error("a point of the session is damaged");
    const point = { c, k: Number.isInteger(k) ? k : null, s: Number.isInteger(s) ? s : null };
    return typeof t === "boolean" ? { ...point, t } : point;
  });
  state.axes = saved.axes ?? [0, 1];
  state.steps = saved.steps ?? [];
  state.task = saved.task ?? "classification";
  state.share = saved.share ?? 100;
  state.known = saved.known ?? 100;
  state.bands = saved.bands ?? 2;
  state.split = Number.isInteger(saved.split) ? saved.split : null;
  state.visibleOnly = saved.visibleOnly === true;
  for (const name of Object.keys(state.layers)) if (typeof saved.layers?.[name] === "boolean") state.layers[name] = saved.layers[name];
  state.step = null;
  Object.assign(state.hand, { pair: 0, length: 1, slope: null });
  if (saved.view) state.view = saved.view;
  draw({ names: saved.names ?? ["x0", "x1"], classes: saved.classes ?? ["A", "B"], points });
  changed("method");
}
