// Whose isolines are shown: those of the method of the page where it projects, else those of a kernel.

import { entry, last } from "./catalogue.js";
import { range } from "./parts.js";
import { modelAxes } from "./plane.js";
import { threeBlobs } from "./scenes/points.js";
import { seen, state, trainingFlags } from "./state.js";

const STANDARD = { algorithm: "kernel-pca", parameters: { kernel: "rbf", gamma: 50 } };
// Points that are looked at where nothing is drawn.
const SAMPLE = threeBlobs(7);

const isSample = () => state.drawing.points.length < 3;

/** Whether it is the method of the page that is shown. */
export const isOwn = () => state.task === "transformation" && !isSample();

/** The points as the method learns from them. */
export const rows = () => (isSample() ? SAMPLE.map(([row]) => row) : state.drawing.points.map(seen));

/** The class of every point. */
export const classes = () => (isSample() ? SAMPLE.map(([, k]) => k) : state.drawing.points.map(({ k }) => k));

const columns = () => (isSample() ? [0, 1] : modelAxes());

/** Where the points lie in the plane. */
export const places = () => rows().map((row) => columns().map((axis) => row[axis] ?? 0));

/** The rate of the kernel where it was given as a number. */
export function ownGamma() {
  const { gamma } = isOwn() ? last().parameters : STANDARD.parameters;
  return typeof gamma === "number" ? gamma : null;
}

/** Whether the kernel is Gaussian, so that σ is its deviation. */
export const isGaussian = () => !isOwn() || last().parameters.kernel === "rbf";

function steps({ gamma, first, count }) {
  const own = structuredClone(isOwn() ? state.steps : [STANDARD]);
  const method = own.at(-1);
  const known = entry(method.algorithm)?.schema.properties ?? {};
  if ("gamma" in known && gamma) method.parameters.gamma = gamma;
  // A kernel has as many projections as points; no more than are seen are asked for.
  if (method.algorithm === STANDARD.algorithm) method.parameters.n_components = first + count - 1;
  return own;
}

/** What is asked of the server; coordinates that are not shown are as in the middle of the points. */
export function questionOf(wanted, grid) {
  const all = rows();
  const base = all[0].map((_, axis) => all.reduce((sum, row) => sum + row[axis], 0) / all.length);
  const train = isSample() ? null : trainingFlags();
  return { spec: steps(wanted), rows: all, ...(train ? { train } : {}), grid: { ...grid, columns: columns(), base }, first: wanted.first - 1, count: wanted.count };
}

/** Who is shown, in words. */
export function subjectWords() {
  const method = isOwn() ? state.steps.map(({ algorithm }) => algorithm).join(" | ") : "kernel-pca with an rbf kernel";
  return `${method} on ${isSample() ? "three prepared groups; draw points to see yours" : "the points of the canvas"}`;
}

const spans = () => [0, 1].map((axis) => range(places().map((place) => place[axis])));

/** The part of the plane that holds all points with a margin. */
export function everything() {
  const [x, y] = spans();
  const long = (span) => (span[1] - span[0] || 1) * 1.3;
  return { x: (x[0] + x[1]) / 2, y: (y[0] + y[1]) / 2, across: long(x), up: long(y) };
}

/** How far the points reach. */
export const spread = () => Math.max(...spans().map(([low, high]) => high - low)) || 1;
