// The view of a Hebbian unit: what its weights become under rules that bound them or let them forget.

import { paintVector, paintWeights } from "./hebbview.js";
import { random } from "./scenes/points.js";

const STEPS = 400;

/** Inputs of mean zero, longest along a direction, or the same input again and again. */
export function inputsOf({ source, degrees, long, seed, x1, x2 }) {
  if (source === "constant") return Array.from({ length: STEPS }, () => [x1, x2]);
  const { normal } = random(seed);
  const [cos, sin] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  return Array.from({ length: STEPS }, () => {
    const [u, v] = [long * normal(), 0.35 * normal()];
    return [cos * u - sin * v, sin * u + cos * v];
  });
}

const RULES = [
  ["plain", "Hebb: Δw = αyx"], ["clip", "… clipped at w_max"], ["rescale", "… divided at w_max"], ["normalise", "… brought to length one"],
  ["instar", "instar: Δw = αy(x − w)"], ["outstar", "outstar: Δw = αx(y − w)"], ["oja", "Oja: Δw = αy(x − yw)"],
];

const bounded = ({ rule }) => ["clip", "rescale"].includes(rule);

function question(values) {
  const { rule, rate, largest, w1, w2, forced } = values;
  return ["/api/plasticity", {
    view: "hebb",
    rate,
    largest: bounded(values) ? largest : 2,
    decay: ["instar", "outstar", "oja"].includes(rule) ? rule : "none",
    bound: ["clip", "rescale", "normalise"].includes(rule) ? rule : "none",
    start: [w1, w2],
    inputs: inputsOf(values),
    ...(forced ? { output: 1 } : {}),
  }];
}

const at = ({ path }, { step }) => Math.min(step, path.length - 1);

function words(answer, values) {
  const { path, away, axes } = answer;
  const [a, b] = path[at(answer, values)];
  const long = Math.hypot(a, b);
  const now = `After ${at(answer, values)} inputs w = (${a.toFixed(3)}, ${b.toFixed(3)}), ‖w‖ = ${long.toFixed(3)}`;
  if (away) return `${now}. The weights run away: nothing bounds them.`;
  if (values.source === "constant") return `${now}; the input is (${values.x1}, ${values.x2}), ${Math.hypot(values.x1 - a, values.x2 - b).toFixed(3)} away.`;
  const cosine = Math.abs(a * axes[0][0] + b * axes[0][1]) / (long || 1);
  return `${now}, ${((180 * Math.acos(Math.min(1, cosine))) / Math.PI).toFixed(1)}° from the direction in which the inputs vary most.`;
}

/** The view of a Hebbian unit. */
export const hebbView = {
  called: "a Hebbian unit: weight traces",
  summary: "A linear unit y = w·x whose weights grow with what is active together. Without a bound they run away; with one they turn to the direction in which the inputs vary most.",
  controls: [
    { name: "rule", called: "rule", value: "oja", options: RULES },
    { name: "rate", called: "rate α", value: 0.03, low: 0.002, high: 0.2 },
    { name: "largest", called: "w_max", value: 2, low: 1.1, high: 5, when: bounded },
    { name: "source", called: "inputs", value: "cloud", options: [["cloud", "a cloud about zero"], ["constant", "one input, again and again"]] },
    { name: "degrees", called: "angle °", value: 35, low: -90, high: 90, when: ({ source }) => source === "cloud" },
    { name: "long", called: "deviation", value: 1, low: 0.4, high: 2, when: ({ source }) => source === "cloud" },
    { name: "seed", called: "draw", value: 3, low: 1, high: 20, whole: true, when: ({ source }) => source === "cloud" },
    { name: "x1", called: "x₁", value: 0.9, low: -2, high: 2, when: ({ source }) => source === "constant" },
    { name: "x2", called: "x₂", value: 0.6, low: -2, high: 2, when: ({ source }) => source === "constant" },
    { name: "w1", called: "start w₁", value: -0.2, low: -2, high: 2 },
    { name: "w2", called: "start w₂", value: 0.5, low: -2, high: 2 },
    { name: "forced", called: "the output is made 1", value: false },
    { name: "step", called: "inputs seen", value: STEPS, low: 0, high: STEPS, whole: true },
  ],
  presets: {
    "first axis (Oja)": { rule: "oja", source: "cloud", forced: false, rate: 0.03, step: STEPS },
    "clipped growth": { rule: "clip", source: "constant", largest: 2, x1: 0.9, x2: 0.6, w1: 0.2, w2: 0.1, rate: 0.02, forced: false, step: STEPS },
    "length one": { rule: "normalise", source: "cloud", rate: 0.03, w1: -0.2, w2: 0.5, forced: false, step: STEPS },
    "to the input (instar)": { rule: "instar", source: "constant", x1: 0.9, x2: 0.6, w1: -1, w2: 1, rate: 0.02, forced: true, step: STEPS },
    "run away": { rule: "plain", source: "cloud", rate: 0.03, forced: false, step: STEPS },
  },
  panes: [
    { label: "Weights and their length over the inputs", tall: 190, paint: (canvas, answer, values) => paintWeights(canvas, answer, at(answer, values), bounded(values) ? values.largest : 0) },
    { label: "The weights as a vector among the inputs; dotted: the directions in which these vary", tall: 250, paint: (canvas, answer, values) => paintVector(canvas, answer, at(answer, values)) },
  ],
  question,
  words,
};
