// Networks whose weights learn, as graphs: outputs that inhibit each other until they are uncorrelated, and two units
// that learn to agree.

import { frame, line } from "./dynamicsview.js";
import { paintGraph } from "./netgraph.js";
import { css, themed } from "./palette.js";
import { range, sharp } from "./parts.js";
import { random } from "./scenes/points.js";
import { paintKey } from "./unitview.js";

/** How many inputs are learned from: by outputs that inhibit each other, and by units that learn to agree. */
const STEPS = 2000;
const LONG = 4000;

// Pairs of mean zero with deviation one and a correlation, the same for the same seed.
function pairsWith(correlation, seed) {
  const { normal } = random(seed);
  const rest = Math.sqrt(1 - correlation * correlation);
  return Array.from({ length: STEPS }, () => {
    const [u, v] = [normal(), normal()];
    return [u, correlation * u + rest * v];
  });
}

/** Curves over the steps with their names, and how far one has gone. */
function paintTraces(canvas, curves, along, level = null) {
  const steps = curves[0].values.length - 1;
  const [context, width, height] = sharp(canvas);
  const [low, high] = range([...curves.flatMap(({ values }) => values), 0, ...(level === null ? [] : [level])]);
  const room = 0.08 * (high - low || 1);
  const place = frame(context, width, height, [0, steps], [low - room, high + 3 * room], "inputs seen", "");
  if (level !== null) {
    context.strokeStyle = themed("ink");
    context.lineWidth = 1.5;
    context.setLineDash([3, 4]);
    line(context, [place([0, level]), place([steps, level])]);
    context.setLineDash([]);
  }
  for (const { values, ink, dash } of curves) {
    context.strokeStyle = css(ink);
    context.lineWidth = 2;
    context.setLineDash(dash ?? []);
    line(context, values.map((value, step) => place([step, value])));
  }
  context.setLineDash([]);
  context.strokeStyle = themed("faint");
  context.lineWidth = 1;
  line(context, [place([along, low - room]), place([along, high + room])]);
  paintKey(context, width, curves.map(({ name, ink, dash }) => [name, ink, dash ?? []]));
}

function paintInhibition(canvas, { path }, { step }) {
  const [context, width, height] = sharp(canvas);
  const weight = path[step];
  const nodes = [{ at: [0.2, 0.2], name: "x₁" }, { at: [0.2, 0.84], name: "x₂" }, { at: [0.66, 0.2], name: "y₁", beside: true }, { at: [0.66, 0.84], name: "y₂", beside: true }];
  const edges = [{ from: 0, to: 2, weight: 1 }, { from: 1, to: 3, weight: 1 }, { from: 2, to: 3, weight, called: "w", bend: -0.35 }, { from: 3, to: 2, weight, bend: -0.35, silent: true }];
  paintGraph(context, { nodes, edges }, [0, 0, width, height], 15);
}

/** The network of Földiák. */
export const inhibitView = {
  called: "outputs that inhibit each other (Földiák)",
  summary: "y = x + Wy: each output inhibits the other, by Δw = −α·y₁·y₂. Learning stops by itself where the outputs are uncorrelated.",
  controls: [
    { name: "correlation", called: "ρ of inputs", value: 0.8, low: -0.95, high: 0.95 },
    { name: "rate", called: "rate α", value: 0.01, low: 0.001, high: 0.1 },
    { name: "step", called: "inputs seen", value: STEPS, low: 0, high: STEPS, whole: true },
    { name: "seed", called: "draw", value: 1, low: 1, high: 20, whole: true },
  ],
  panes: [
    { label: "The network with its weights now", tall: 210, paint: paintInhibition },
    { label: "The weight while it learns; dotted: where it should come to rest", tall: 210, paint: (canvas, answer, { step }) => paintTraces(canvas, [{ name: "w", values: answer.path, ink: 4 }], step, answer.expected) },
  ],
  question: ({ correlation, rate, seed }) => ["/api/plasticity", { view: "foldiak", rate, inputs: pairsWith(correlation, seed), correlation, deviations: [1, 1] }],
  words: ({ path, expected, before, after }, { step, correlation }) => `After ${step} inputs w = ${path[step].toFixed(4)}; `
    + `at rest w = (−1 + √(1 − ρ²))/ρ = ${expected.toFixed(4)} for ρ = ${correlation}. `
    + `The correlation of the inputs is ${before.toFixed(3)}, that of the outputs in the end ${after.toFixed(3)}.`,
};

// Two views of one hidden thing, each with one input that knows it and one that does not.
function viewsWith(share, seed) {
  const { normal } = random(seed);
  const own = Math.sqrt(1 - share * share);
  return Array.from({ length: LONG }, () => {
    const common = normal();
    return [0, 1].map((view) => (view === 0 ? [share * common + own * normal(), normal()] : [normal(), share * common + own * normal()]));
  });
}

function paintAgreement(canvas, { path }, { step }) {
  const [context, width, height] = sharp(canvas);
  const [first, second] = path[step];
  const inputs = [0.14, 0.38, 0.64, 0.88].map((y, index) => ({ at: [0.2, y], name: ["x₁₁", "x₁₂", "x₂₁", "x₂₂"][index] }));
  const nodes = [...inputs, { at: [0.62, 0.26], name: "y₁", beside: true }, { at: [0.62, 0.76], name: "y₂", beside: true }];
  const edges = [...first.map((weight, index) => ({ from: index, to: 4, weight })), ...second.map((weight, index) => ({ from: 2 + index, to: 5, weight }))];
  paintGraph(context, { nodes, edges }, [0, 0, width, height], 15);
  const [x, top, bottom] = [0.62 * width, 0.26 * height + 15, 0.76 * height - 15];
  context.strokeStyle = themed("faint");
  context.lineWidth = 1.5;
  context.setLineDash([4, 4]);
  line(context, [[x, top], [x, bottom]]);
  context.setLineDash([]);
  context.fillStyle = themed("faint");
  context.fillText("agree", x + 8, (top + bottom) / 2 + 4);
}

/** The network of Lai and Fyfe. */
export const agreeView = {
  called: "two units that learn to agree (CCA)",
  summary: "Each unit sees its own two inputs and learns to say what the other says, with variance one: Δw₁ = η·x₁·(y₂ − λ₁y₁), Δλ₁ = −η₀·(1 − y₁²). Both λ swing about the canonical correlation.",
  controls: [
    { name: "share", called: "in common", value: 0.9, low: 0.1, high: 0.98 },
    { name: "rate", called: "rate η", value: 0.004, low: 0.001, high: 0.008 },
    { name: "multiplier_rate", called: "rate η₀", value: 0.004, low: 0.001, high: 0.008 },
    { name: "step", called: "inputs seen", value: LONG, low: 0, high: LONG, whole: true },
  ],
  panes: [
    { label: "The network with its weights now", tall: 230, paint: paintAgreement },
    { label: "Weights and multipliers while they learn", tall: 210, paint: (canvas, { path }, { step }) => paintTraces(canvas, [
      { name: "w₁₁", ink: 0, values: path.map(([w]) => w[0]) }, { name: "w₁₂", ink: 5, values: path.map(([w]) => w[1]) },
      { name: "w₂₁", ink: 1, values: path.map(([, w]) => w[0]) }, { name: "w₂₂", ink: 4, values: path.map(([, w]) => w[1]) },
      { name: "λ₁", ink: 2, values: path.map(([, , l]) => l[0]), dash: [5, 4] },
    ], step) },
  ],
  question: ({ share, rate, multiplier_rate }) => ["/api/plasticity", { view: "cca", rate, multiplier_rate, start: [[0.6, 0.6], [0.6, 0.6]], inputs: viewsWith(share, 4) }],
  words: ({ path, after }, { step, share }) => {
    const [first, second] = path[step];
    const late = path.slice(LONG / 2).map(([, , [l1, l2]]) => (l1 + l2) / 2);
    const mean = late.reduce((sum, value) => sum + value, 0) / late.length;
    const say = (list) => list.map((weight) => weight.toFixed(3)).join(", ");
    return `After ${step} inputs: w₁ = (${say(first)}), w₂ = (${say(second)}), over the second half λ is ${mean.toFixed(3)} on average. `
      + `What x₁₁ and x₂₂ share makes their correlation ${(share * share).toFixed(3)}; the outputs in the end have ${after.toFixed(3)}.`;
  },
};
