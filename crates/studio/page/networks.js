// The laboratory of networks: one unit and what it can compute, Bayesian networks, and graphs whose weights learn.

import { job } from "./api.js";
import { dagView } from "./dagform.js";
import { laboratory } from "./lab.js";
import { agreeView, inhibitView } from "./lateral.js";
import { guarded } from "./say.js";
import { paintPlane, paintTransfer, paintUnit } from "./unitview.js";

const CORNERS = [[0, 0], [0, 1], [1, 0], [1, 1]];

const GATES = { and: [0, 0, 0, 1], or: [0, 1, 1, 1], nand: [1, 1, 1, 0], nor: [1, 0, 0, 0], xor: [0, 1, 1, 0] };

const TRANSFERS = [["linear", "linear: s"], ["step", "step: 1 where s ≥ 0"], ["tanh", "tanh s"], ["logistic", "logistic: 1/(1+e^(−Ds))"], ["radial", "RBF: e^(−αs²)"]];

const SIGNS = { linear: "╱", step: "⌐", tanh: "∫", logistic: "∫", radial: "∩" };

/** The transfer function as the server wants it. */
const transferOf = ({ transfer, slope, alpha }) => (transfer === "logistic" ? { name: transfer, slope } : transfer === "radial" ? { name: transfer, alpha } : { name: transfer });

const asked = (values, learn = false) => ["/api/unit", { transfer: transferOf(values), weights: [values.w0, values.w1, values.w2], targets: GATES[values.gate], learn }];

const learnUnit = guarded(async (lab) => {
  const { weights } = await job(...asked(lab.values.unit, true), undefined, () => {});
  const [w0, w1, w2] = weights.map((weight) => Number(weight.toFixed(4)));
  lab.set({ w0, w1, w2 });
});

function unitWords({ outputs, error }, { gate, transfer }) {
  const wrong = outputs.filter((output, index) => output >= 0.5 !== GATES[gate][index] >= 0.5).length;
  const table = CORNERS.map((corner, index) => `${corner.join("")} → ${Number(outputs[index].toFixed(4))}`).join(", ");
  const verdict = wrong === 0 ? `All four are on the right side of ½: this is ${gate.toUpperCase()}.` : `${wrong} of 4 on the wrong side of ½.`;
  const advice = transfer === "radial" ? " Where w₀ + w₁x₁ + w₂x₂ is 0 on the ones only, it works: try −1, 1, 1."
    : " No line parts XOR: any function that only rises must fail, one that comes down again (RBF) need not.";
  const why = gate === "xor" && wrong ? advice : "";
  return `${table}. ½Σ(z − y)² = ${error.toFixed(4)}. ${verdict}${why}`;
}

const unitView = {
  called: "a unit and its transfer function",
  summary: "A unit sums its inputs by weights, adds a bias, and answers f(s). Set the weights by hand, or let them learn the gate by descending the squared error.",
  controls: [
    { name: "transfer", called: "f", value: "step", options: TRANSFERS },
    { name: "slope", called: "slope D", value: 1, low: 0.1, high: 10, when: ({ transfer }) => transfer === "logistic" },
    { name: "alpha", called: "width α", value: 5, low: 0.1, high: 20, when: ({ transfer }) => transfer === "radial" },
    { name: "w0", called: "bias w₀", value: -1.5, low: -5, high: 5 },
    { name: "w1", called: "w₁", value: 1, low: -5, high: 5 },
    { name: "w2", called: "w₂", value: 1, low: -5, high: 5 },
    { name: "gate", called: "wanted", value: "and", options: Object.keys(GATES).map((name) => [name, name.toUpperCase()]) },
    { name: "corner", called: "input", value: "3", options: CORNERS.map((corner, index) => [String(index), corner.join(", ")]) },
  ],
  presets: {
    AND: { transfer: "step", w0: -1.5, w1: 1, w2: 1, gate: "and" },
    OR: { transfer: "step", w0: -0.5, w1: 1, w2: 1, gate: "or" },
    NAND: { transfer: "step", w0: 1.5, w1: -1, w2: -1, gate: "nand" },
    NOR: { transfer: "step", w0: 0.5, w1: -1, w2: -1, gate: "nor" },
    "XOR, sigmoid": { transfer: "logistic", slope: 4, w0: -0.5, w1: 1, w2: 1, gate: "xor" },
    "XOR, RBF": { transfer: "radial", alpha: 5, w0: -1, w1: 1, w2: 1, gate: "xor" },
  },
  buttons: [["learn", "The weights of least squared error for the gate", learnUnit]],
  columns: 2,
  panes: [
    { label: "The unit", tall: 200, paint: (canvas, answer, values) => paintUnit(canvas, answer, { corner: CORNERS[values.corner], outputs: answer.outputs[values.corner], sign: SIGNS[values.transfer] }) },
    { label: "Answers over both inputs; the line is y = ½", tall: 428, rows: 2, paint: (canvas, answer, values) => paintPlane(canvas, answer, GATES[values.gate]) },
    { label: "Transfer function and derivative", tall: 200, paint: (canvas, answer, values) => paintTransfer(canvas, answer, values.transfer === "step") },
  ],
  question: (values) => asked(values),
  words: unitWords,
};

/** The laboratory; tests read its newest answer. */
export let networks = null;

export function wireNetworks() {
  networks = laboratory("networks", "Networks", { unit: unitView, dag: dagView, inhibit: inhibitView, agree: agreeView });
}
