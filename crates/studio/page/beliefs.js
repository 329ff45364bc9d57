// The laboratory of beliefs: a linear classifier in the planes of its weights and of its points, a latent function and
// what squashing makes of it, and a Gaussian process that classifies.

import { paintBelief, paintChances, paintPoints, plane } from "./beliefview.js";
import { frame, line } from "./dynamicsview.js";
import { laboratory } from "./lab.js";
import { cells } from "./maps.js";
import { css, themed } from "./palette.js";
import { sharp } from "./parts.js";
import { random } from "./scenes/points.js";
import { paintKey } from "./unitview.js";

/** Half of the side of the plane of the points. */
const REACH = 5;

/** Labelled points on either side of a line through zero, some of them beyond it. */
export function labelledPoints({ count, seed, overlap }) {
  const { normal } = random(seed);
  const points = Array.from({ length: count }, (_, index) => {
    const side = index % 2 ? 1 : -1;
    return [side * 1.6 + overlap * normal(), side * 1.2 + overlap * normal()].map((value) => Number(value.toFixed(3)));
  });
  return { points, signs: points.map((_, index) => (index % 2 ? 1 : -1)) };
}

const pointsOf = (values) => {
  const drawn = labelledPoints(values);
  return { points: [...drawn.points, ...values.added.map(([x, y]) => [x, y])], signs: [...drawn.signs, ...values.added.map(([, , sign]) => sign)] };
};

// A point of the side that is chosen.
function addPoint(lab, spot) {
  const { added, side } = lab.values.weights;
  lab.set({ added: [...added, [...spot, side === "plus" ? 1 : -1]].slice(-40) });
}

// The point of the data plane at some pixels.
function clickPoint([x, y], lab, canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const shares = [(2 * (x - 34)) / (width - 44) - 1, (2 * (height - 26 - y)) / (height - 40) - 1];
  addPoint(lab, shares.map((share) => Number((REACH * share).toFixed(3))));
}

const paintData = (canvas, answer) => {
  const { context, place } = plane(canvas, [-REACH, REACH], ["x₁", "x₂"]);
  paintPoints(context, place, answer.asked.points, answer.asked.signs);
};

const paintPredicted = (canvas, { places, asked }, { single }) => paintChances(canvas, single ? places.single : places.predictive, places.side, [-REACH, REACH], asked.points, asked.signs);

const weightsView = {
  called: "a linear classifier: weights and points",
  summary: "p(y = +1 | x) = σ(w·x). The belief about w before the points, the points, the belief after them, and what all weights together say about "
    + "other points: their lines of equal probability fan out where there are no points, those of the best weights alone do not.",
  controls: [
    { name: "deviation", called: "prior σ", value: 1.5, low: 0.3, high: 3 },
    { name: "count", called: "points", value: 6, low: 0, high: 40, whole: true },
    { name: "overlap", called: "overlap", value: 0.8, low: 0.1, high: 2 },
    { name: "seed", called: "draw", value: 4, low: 1, high: 20, whole: true },
    { name: "x1", called: "new x₁", value: 3, low: -REACH, high: REACH },
    { name: "x2", called: "new x₂", value: -1, low: -REACH, high: REACH },
    { name: "side", called: "new points", value: "plus", options: [["plus", "of class +1"], ["minus", "of class −1"]] },
    { name: "single", called: "the best weights alone", value: false },
    { name: "added", called: "", value: [], when: () => false },
  ],
  buttons: [
    ["add the new point", "At new x₁ and x₂; a click adds one where it is made", (lab) => addPoint(lab, [lab.values.weights.x1, lab.values.weights.x2])],
    ["take new ones away", "Without the points that were added", (lab) => lab.set({ added: [] })],
    ["no points", "Only the prior", (lab) => lab.set({ added: [], count: 0 })],
  ],
  columns: 2,
  panes: [
    { label: "Prior of the weights", tall: 225, paint: (canvas, { weights }) => paintBelief(canvas, weights.prior, weights) },
    { label: "Points; click to add one", tall: 225, paint: paintData, click: clickPoint },
    { label: "Posterior of the weights; × is its top", tall: 225, paint: (canvas, { weights, best }) => paintBelief(canvas, weights.posterior, weights, best) },
    { label: "Predictive probability, in steps of 0.1", tall: 225, paint: paintPredicted, click: clickPoint },
  ],
  question: (values) => ["/api/weight-space", { ...pointsOf(values), deviation: values.deviation, weight_reach: 3 * values.deviation, reach: REACH }],
  words: ({ best, places, asked }, { single }) => {
    const shown = single ? places.single : places.predictive;
    return `${asked.points.length} points. The best weights are (${best.map((weight) => weight.toFixed(2)).join(", ")}). `
      + `Probabilities between ${Math.min(...shown).toFixed(3)} and ${Math.max(...shown).toFixed(3)}: ${single ? "the best weights alone are surer the further out" : "averaged over all weights they are less extreme"}.`;
  },
};

/** The latent function: two bumps of opposite heights over zero. */
export const latent = ({ first, second, width }, x) => first * Math.exp(-((x + 1.5) ** 2) / (2 * width * width)) + second * Math.exp(-((x - 1.5) ** 2) / (2 * width * width));

/** What squashing makes of a height. */
export const squash = (height) => 1 / (1 + Math.exp(-height));

function paintLatent(canvas, answer, values) {
  const [context, width, height] = sharp(canvas);
  const xs = Array.from({ length: 241 }, (_, index) => -5 + index / 24);
  const heights = xs.map((x) => latent(values, x));
  const most = Math.max(4, ...heights.map(Math.abs));
  const span = values.squashed ? [0, 1] : [-most, most];
  const place = frame(context, width, height, [-5, 5], span, "x", values.squashed ? "σ(f(x))" : "f(x)");
  context.strokeStyle = themed("ink");
  context.setLineDash([4, 4]);
  const level = values.squashed ? 0.5 : 0;
  line(context, [place([-5, level]), place([5, level])]);
  context.setLineDash([]);
  context.strokeStyle = css(values.squashed ? 1 : 0);
  context.lineWidth = 2.5;
  line(context, xs.map((x, index) => place([x, values.squashed ? squash(heights[index]) : heights[index]])));
  paintKey(context, width, [[values.squashed ? "σ(f(x))" : "f(x)", values.squashed ? 1 : 0, []]]);
}

const latentView = {
  called: "a latent function, squashed",
  summary: "A process for classes has a latent function f of any height; σ squashes it into probabilities. Where f crosses zero the probability is ½.",
  controls: [
    { name: "first", called: "left bump", value: 4, low: -8, high: 8 },
    { name: "second", called: "right bump", value: -3, low: -8, high: 8 },
    { name: "width", called: "width", value: 0.8, low: 0.3, high: 2 },
    { name: "squashed", called: "squash by σ", value: false },
  ],
  panes: [{ label: "The function over x", tall: 380, paint: paintLatent }],
  words: (answer, values) => {
    const heights = Array.from({ length: 1001 }, (_, index) => latent(values, -5 + index / 100));
    const [low, high] = [Math.min(...heights), Math.max(...heights)];
    return values.squashed ? `σ(f) lies between ${squash(low).toFixed(3)} and ${squash(high).toFixed(3)}, always within 0 and 1.` : `f lies between ${low.toFixed(3)} and ${high.toFixed(3)}.`;
  },
};

/** Two classes in the unit square. */
export function unitSquare({ seed }) {
  const { normal } = random(seed);
  const centres = [[0.25, 0.3], [0.7, 0.75], [0.65, 0.25], [0.3, 0.75]];
  return Array.from({ length: 28 }, (_, index) => {
    const [x, y] = centres[index % 4];
    const at = [x + 0.1 * normal(), y + 0.1 * normal()].map((value) => Math.min(0.98, Math.max(0.02, value)));
    return { at, sign: index % 4 < 2 ? 1 : -1 };
  });
}

const SIDE = 61;

// The chance of +1 from the bytes of the map, row by row from the bottom.
function chancesOf(answer) {
  const map = answer.maps.find(({ kind }) => kind === "classes");
  const bytes = cells(map);
  return Array.from({ length: map.width * map.height }, (_, cell) => bytes[cell * map.count + 1] / 255);
}

const processView = {
  called: "a Gaussian process that classifies",
  summary: "Probabilities of a process with signal variance σ_f² and length ℓ in the unit square. A short ℓ makes islands about the points; away from them the probability comes back to ½.",
  controls: [
    { name: "length", called: "length ℓ", value: 0.1, low: 0.05, high: 1 },
    { name: "variance", called: "σ_f²", value: 9, low: 0.5, high: 25 },
    { name: "seed", called: "draw", value: 3, low: 1, high: 20, whole: true },
  ],
  presets: { "ℓ = 0.1": { length: 0.1, variance: 9 }, "ℓ = 0.2": { length: 0.2, variance: 9 }, "ℓ = 0.3": { length: 0.3, variance: 9 } },
  panes: [{ label: "Lines of equal probability in steps of 0.1; the thick one is ½", tall: 430, paint: (canvas, answer, values) => {
    const points = unitSquare(values);
    paintChances(canvas, chancesOf(answer), SIDE, [0, 1], points.map(({ at }) => at), points.map(({ sign }) => sign));
  } }],
  question: (values) => {
    const points = unitSquare(values);
    return ["/api/fit", {
      spec: [{ algorithm: "gaussian-process-classifier", parameters: { kernel: "rbf", length_scale: values.length, amplitude: values.variance } }],
      rows: points.map(({ at }) => at),
      labels: points.map(({ sign }) => (sign > 0 ? 1 : 0)),
      classes: ["−1", "+1"],
      grid: { x: [-0.5 / (SIDE - 1), 1 + 0.5 / (SIDE - 1)], y: [-0.5 / (SIDE - 1), 1 + 0.5 / (SIDE - 1)], width: SIDE, height: SIDE, columns: [0, 1], base: [0, 0] },
    }];
  },
  words: (answer, { length, variance }) => {
    const chances = chancesOf(answer);
    return `σ_f² = ${Number(variance.toFixed(3))}, ℓ = ${Number(length.toFixed(3))}: probabilities between ${Math.min(...chances).toFixed(2)} and ${Math.max(...chances).toFixed(2)}.`;
  },
};

/** The laboratory; tests read its newest answer. */
export let beliefs = null;

export function wireBeliefs() {
  beliefs = laboratory("beliefs", "Beliefs", { weights: weightsView, latent: latentView, process: processView });
}
