// The dialog of units in motion: one that follows its input, one that drives itself, and the phase portrait of two.

import { job } from "./api.js";
import { paintBranches, paintFlow, paintPortrait, paintResponse, placeAt } from "./dynamicsview.js";
import { $, button, element } from "./parts.js";
import { guarded } from "./say.js";
import { random } from "./scenes/points.js";

/**
 * The numbers of each view: name, value, least, most, and what it is called.
 * @type {Object<string, [string, number, number, number, string][]>}
 */
const NUMBERS = {
  response: [["time_constant", 1, 0.1, 5, "τ"], ["height", 1, -2, 2, "input S"], ["start", 0, -2, 2, "start m₀"], ["to", 6, 0, 10, "input ends"]],
  flow: [["self_weight", 20, -30, 30, "w₁₁"], ["input", -10, -30, 30, "S"], ["bias", 0, -10, 10, "b"], ["slope", 1, 0.05, 3, "D"]],
  portrait: [["w11", 4.5, -10, 10, "w₁₁"], ["w12", 1, -10, 10, "w₁₂"], ["w21", -1, -10, 10, "w₂₁"], ["w22", 4.5, -10, 10, "w₂₂"], ["b1", -2.75, -8, 8, "b₁"], ["b2", -1.75, -8, 8, "b₂"], ["s1", 0, -5, 5, "S₁"], ["s2", 0, -5, 5, "S₂"]],
};

/** Settings that behave in different ways. */
const PRESETS = {
  response: {},
  flow: { "three roots": { self_weight: 20, input: -10, bias: 0, slope: 1 }, "one root": { self_weight: -20, input: 30, bias: 0, slope: 1 }, "where they part": { self_weight: 20, input: -10, bias: 0, slope: 0.2 } },
  portrait: {
    "one focus": { w11: 1, w12: 1, w21: -1, w22: 1, b1: 0, b2: 0 },
    "limit cycle": { w11: 4.5, w12: 1, w21: -1, w22: 4.5, b1: -2.75, b2: -1.75 },
    "two stable points": { w11: 5.5, w12: 1, w21: 1, w22: 3, b1: -3.25, b2: -2 },
    "winner takes all": { w11: 2, w12: -6, w21: -6, w22: 2, b1: 2, b2: 2 },
    "four attractors": { w11: 8, w12: 0.5, w21: 0.5, w22: 8, b1: -4.25, b2: -4.25 },
  },
};

const SUMMARIES = {
  response: "A leaky integrator follows its input: after one time constant τ it is 63.2 % of the way, after two 86.5 %.",
  flow: "A unit that drives itself stands still where the curve of dm/dt crosses zero: falling, it comes back (filled); rising, it runs away (hollow).",
  portrait: "Two units: where each of them stands still (coloured lines), where both do, and ways through the plane. Click to start one.",
};

const values = Object.fromEntries(Object.entries(NUMBERS).map(([view, list]) => [view, Object.fromEntries(list.map(([name, value]) => [name, value]))]));
const rng = random(5);
let starts = [];
let answer = null;
let running = null;

/** What the server said last; nothing while it is asked. */
export const motionNow = () => (running ? null : answer);

const view = () => $("motion-view").value;

// How far the plane of two units reaches: everything that both can be driven to.
function reach() {
  const { w11, w12, w21, w22, s1, s2 } = values.portrait;
  const ends = [[w11, w12, s1], [w21, w22, s2]].flatMap(([a, b, s]) => [s + Math.min(0, a) + Math.min(0, b), s + Math.max(0, a) + Math.max(0, b)]);
  return [Math.min(-2, ...ends) - 1, Math.max(2, ...ends) + 1];
}

function question() {
  const now = values[view()];
  if (view() === "response") return { view: "response", ...now, from: 1, until: 12 };
  if (view() === "flow") {
    const ends = [now.input, now.input + now.self_weight];
    return { view: "flow", unit: now, low: Math.min(...ends) - 5, high: Math.max(...ends) + 5 };
  }
  const [low, high] = reach();
  return { view: "portrait", weights: [[now.w11, now.w12], [now.w21, now.w22]], biases: [now.b1, now.b2], inputs: [now.s1, now.s2], low, high, starts };
}

function begin(place) {
  starts = [...starts, place].slice(-20);
  ask();
}

async function ask() {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  try {
    const wanted = question();
    const found = await job("/api/dynamics", wanted, mine.signal, () => {});
    if (running !== mine) return;
    answer = { ...found, wanted };
    paint();
  } catch (error) {
    if (mine.signal.aborted) return;
    $("motion-words").textContent = error.message;
  } finally {
    if (running === mine) running = null;
  }
}

function paint() {
  if (!answer || answer.wanted.view !== view()) return;
  const canvas = $("motion-canvas");
  if (view() === "response") {
    paintResponse(canvas, answer);
    const { time_constant: tau, height, start } = values.response;
    $("motion-words").textContent = `m(t) = (m₀ − S)·e^(−t/τ) + S while the input is there; after it m decays by e^(−t/τ). From ${start} towards ${height} with τ = ${tau}.`;
  } else if (view() === "flow") {
    paintFlow(canvas, answer);
    paintBranches($("motion-second"), answer, values.flow.self_weight);
    const { self_weight: w, slope } = values.flow;
    $("motion-words").textContent = `${answer.roots.map(([m, stable]) => `m = ${Number(m.toFixed(4))} ${stable ? "stable" : "unstable"}`).join(", ")}. Three roots need w₁₁·D above 4; here it is ${Number((w * slope).toFixed(2))}.`;
  } else {
    paintPortrait(canvas, answer);
    $("motion-words").textContent = answer.equilibria.map(({ place, kind }) => `(${place.map((part) => Number(part.toFixed(3))).join(", ")}) ${kind}`).join("; ");
  }
}

function show() {
  $("motion-summary").textContent = SUMMARIES[view()];
  $("motion-second").hidden = view() !== "flow";
  $("motion-presets").replaceChildren(...Object.entries(PRESETS[view()]).map(([name, setting]) => button(name, undefined, () => {
    Object.assign(values[view()], setting);
    starts = [];
    show();
  })), ...(view() === "portrait" ? [button("start a way", "From anywhere; a click starts one from there", () => {
    const [low, high] = reach();
    begin([0, 1].map(() => low + (high - low) * rng.uniform()));
  }), button("clear ways", undefined, () => {
    starts = [];
    ask();
  })] : []));
  $("motion-form").replaceChildren(...NUMBERS[view()].map(slider));
  ask();
}

function slider([name, , low, high, called]) {
  const label = element("label", undefined, "row");
  const [range, exact] = [element("input"), element("input")];
  const step = (high - low) / 200;
  Object.assign(range, { type: "range", min: low, max: high, step, value: values[view()][name] });
  Object.assign(exact, { type: "number", step: "any", value: values[view()][name], name: `motion-${name}` });
  const take = (input, other) => () => {
    if (!Number.isFinite(Number(input.value)) || input.value === "") return;
    values[view()][name] = Number(input.value);
    other.value = input.value;
    ask();
  };
  range.oninput = take(range, exact);
  exact.oninput = take(exact, range);
  range.setAttribute("aria-label", called);
  label.append(element("span", called), range, exact);
  return label;
}

export function wireDynamics() {
  $("open-motion").onclick = guarded(() => {
    $("motion").showModal();
    show();
  });
  $("motion-view").onchange = () => {
    answer = null;
    show();
  };
  $("motion-canvas").onclick = (event) => {
    if (view() !== "portrait" || !answer) return;
    begin(placeAt($("motion-canvas"), answer.wanted, [event.offsetX, event.offsetY]));
  };
  $("motion").onclose = () => running?.abort();
}
