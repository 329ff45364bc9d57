// Which network is damaged: that of the page, or one that is taught the classes of the page, or two prepared ones.

import { last } from "./catalogue.js";
import { range } from "./parts.js";
import { modelAxes } from "./plane.js";
import { moon, random } from "./scenes/points.js";
import { seen, state, trainingFlags } from "./state.js";

const METHOD = "mlp";
const rng = random(5);
// Points that are learned from where no classes are drawn.
const SAMPLE = [...moon(rng, 80, false, 0, 0.35), ...moon(rng, 80, true, 1, 0.35)].map(([c, k]) => ({ c, k }));

const isSample = () => new Set(state.drawing.points.map(({ k }) => k).filter((k) => k !== null)).size < 2;

/** Whether it is the network of the page. */
export const isOwnNetwork = () => !isSample() && state.task === "classification" && last()?.algorithm === METHOD;

const points = () => (isSample() ? SAMPLE : state.drawing.points);
const columns = () => (isSample() ? [0, 1] : modelAxes());
const row = (point) => (isSample() ? point.c : seen(point));

/** Where the points lie in the plane, with their classes. */
export const dots = () => points().map((point) => ({ place: columns().map((axis) => row(point)[axis] ?? 0), k: point.k }));

/** The part of the plane that holds all points with a margin. */
export function wholePlane() {
  const edges = [0, 1].map((axis) => {
    const [low, high] = range(dots().map(({ place }) => place[axis]));
    const margin = 0.12 * (high - low || 1);
    return [low - margin, high + margin];
  });
  return { left: edges[0][0], right: edges[0][1], bottom: edges[1][0], top: edges[1][1] };
}

/** What is asked of the server. */
export function lesionQuestion({ hidden, repeats, seed }, cells) {
  const rows = points().map(row);
  const { left, right, bottom, top } = wholePlane();
  const base = rows[0].map((_, axis) => rows.reduce((sum, one) => sum + one[axis], 0) / rows.length);
  const flags = isSample() ? null : trainingFlags();
  const spec = isOwnNetwork() ? state.steps : [{ algorithm: "standard-scaler", parameters: {} }, { algorithm: METHOD, parameters: { hidden_layer_sizes: [hidden], solver: "lbfgs", alpha: 0.01 } }];
  // A plane is drawn of two columns or more.
  const grid = rows[0].length > 1 ? { grid: { x: [left, right], y: [top, bottom], width: cells, height: cells, columns: columns(), base } } : {};
  return { spec, rows, labels: points().map(({ k }) => k), classes: isSample() ? ["A", "B"] : state.drawing.classes, ...(flags ? { train: flags } : {}), ...grid, repeats, seed };
}

/** Which network it is, in words. */
export function networkWords() {
  if (isOwnNetwork()) return `The network of the page (${state.steps.map(({ algorithm }) => algorithm).join(" | ")}) loses its weights, drawn at random; biases stay.`;
  return `A network of one hidden layer is taught ${isSample() ? "two prepared classes (draw two classes to see yours)" : "the classes of the page"} and then loses its weights, drawn at random; biases stay.`;
}
