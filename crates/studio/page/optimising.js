// The laboratory of ways to a minimum: a fixed step down a curve, a valley with and without conjugate directions, the
// losses of a margin, and the bound of expectation–maximisation.

import { laboratory } from "./lab.js";
import { LOSSES, paintBound, paintCurve, paintLosses, paintSlopes, paintValley } from "./optimview.js";
import { neat } from "./parts.js";
import { random } from "./scenes/points.js";

const MOST = 100;

// Numbers of a way that runs away have many digits.
const brief = (value) => (Math.abs(value) > 1e6 ? value.toExponential(2) : neat(value));

const at = ({ path }, { step }) => Math.min(step, path.length - 1);

const curveView = {
  called: "down a curve with a fixed step",
  summary: "x ← x − ε·f′(x) on f(x) = x³ − 2x² + 2, whose minimum is at 4/3. The arrow is the tangent. From below zero, f falls for ever and so does x.",
  controls: [
    { name: "start", called: "start x₀", value: 2, low: -1, high: 2.5 },
    { name: "epsilon", called: "step ε", value: 0.1, low: 0.01, high: 0.7 },
    { name: "step", called: "steps shown", value: MOST, low: 0, high: MOST, whole: true },
  ],
  presets: { "from 2": { start: 2, epsilon: 0.1, step: MOST }, "from 0.01": { start: 0.01, epsilon: 0.1, step: MOST }, "from below zero": { start: -0.1, epsilon: 0.1, step: MOST }, "too long": { start: 2, epsilon: 0.6, step: MOST } },
  panes: [
    { label: "The curve, the way, and the tangent where it stands", tall: 300, paint: (canvas, answer, values) => paintCurve(canvas, answer, at(answer, values)) },
    { label: "The slope, step by step", tall: 150, paint: (canvas, answer, values) => paintSlopes(canvas, answer, at(answer, values)) },
  ],
  question: ({ start, epsilon }) => ["/api/optimise", { view: "curve", start, step: epsilon, max_iter: MOST }],
  words: (answer, values) => {
    const step = at(answer, values);
    const [x, value, slope] = answer.path[step];
    return `Step ${step} of ${answer.path.length - 1}: x = ${brief(x)}, f = ${brief(value)}, f′ = ${brief(slope)}. It ended after ${answer.path.length - 1} steps: ${answer.reason}.`;
  },
};

const valleyView = {
  called: "through a valley: steepest or conjugate",
  summary: "A quadratic with curvatures 1 and r. Steepest descent goes to the lowest point of each line and then turns by a right angle: it zigzags. Conjugate directions need as many steps as there are dimensions.",
  controls: [
    { name: "ratio", called: "curvatures r", value: 12, low: 1, high: 60 },
    { name: "degrees", called: "angle °", value: 20, low: -90, high: 90 },
    { name: "x1", called: "start x₁", value: 8, low: -10, high: 10 },
    { name: "x2", called: "start x₂", value: 4, low: -10, high: 10 },
    { name: "step", called: "steps shown", value: 40, low: 0, high: 40, whole: true },
  ],
  panes: [{ label: "Lines of equal height, and both ways down", tall: 430, paint: (canvas, answer, { step }) => paintValley(canvas, answer, step) }],
  question: ({ ratio, degrees, x1, x2 }) => ["/api/optimise", { view: "valley", start: [x1, x2], ratio, degrees }],
  words: ({ steepest, conjugate }) => `Steepest descent takes ${steepest.length - 1} steps to a slope below 10⁻⁶, conjugate gradients take ${conjugate.length - 1}.`,
};

const lossView = {
  called: "the losses of a margin",
  summary: "What a point costs by its margin z = y·f(x): zero-one counts mistakes, the hinge asks for a margin of one, the logistic loss ln(1 + e^(−z)) never quite vanishes. At z = 0 it is ln 2, below the one of zero-one.",
  controls: [{ name: "margin", called: "margin z", value: 0.5, low: -3, high: 3 }],
  panes: [{ label: "Loss over margin", tall: 400, paint: (canvas, answer, { margin }) => paintLosses(canvas, margin) }],
  words: (answer, { margin }) => `At z = ${Number(margin.toFixed(3))}: ${Object.entries(LOSSES).map(([name, loss]) => `${name} ${loss(margin).toFixed(6)}`).join(", ")}.`,
};

/** Observations of a fair choice between N(0, 1) and N(3, 1). */
export function observations({ seed }) {
  const { uniform, normal } = random(seed);
  return Array.from({ length: 40 }, () => Number(((uniform() < 0.5 ? 3 : 0) + normal()).toFixed(3)));
}

const boundView = {
  called: "bounds that touch: expectation–maximisation",
  summary: "Half of the observations come from N(0, 1), half from N(θ, 1). The E-step makes a bound that touches the log-likelihood at θₜ; the M-step goes to its top, where the log-likelihood is at least as high.",
  controls: [
    { name: "theta", called: "θₜ", value: 0.8, low: -2, high: 6 },
    { name: "seed", called: "draw", value: 1, low: 1, high: 20, whole: true },
  ],
  buttons: [["M-step", "To the top of the bound", (lab) => {
    if (lab.now()?.next !== undefined) lab.set({ theta: lab.now().next });
  }], ["start again", "From 0.8", (lab) => lab.set({ theta: 0.8 })]],
  panes: [{ label: "The log-likelihood and its bound; they touch at the black point", tall: 400, paint: paintBound }],
  question: (values) => ["/api/optimise", { view: "bound", observations: observations(values), theta: values.theta, low: -2, high: 6 }],
  words: ({ theta, value, next, next_bound, next_value }) => `L(${theta.toFixed(4)}) = ${value.toFixed(4)}, where the bound touches. `
    + `Its top is ${next_bound.toFixed(4)} at θ = ${next.toFixed(4)}; there L = ${next_value.toFixed(4)}, higher by the divergence ${(next_value - next_bound).toFixed(4)}.`,
};

/** The laboratory; tests read its newest answer. */
export let optimising = null;

export function wireOptimising() {
  optimising = laboratory("optimising", "Ways to a minimum", { curve: curveView, valley: valleyView, losses: lossView, bound: boundView });
}
