// The network that was fitted, as a graph: its weights as they are now, and what every unit answers to the place
// that is pointed at, or that the sliders give.

import { job } from "./api.js";
import { paintGraph, placed } from "./netgraph.js";
import { themed } from "./palette.js";
import { $, element, neat, range, sharp } from "./parts.js";
import { shown } from "./picture.js";
import { modelAxes, toWorld } from "./plane.js";
import { state } from "./state.js";

/** Wider layers are not drawn unit by unit. */
const MOST_UNITS = 24;

/** Inputs that have a slider. */
const MOST_SLIDERS = 6;

/** The input that is shown, in the units of the points, and the activations of every layer for it. */
export const lit = { place: null, activations: null };

let asking = null;

const columns = () => (state.task === "regression" ? [state.axes[0]] : state.visibleOnly ? state.axes : state.drawing.names.map((_, axis) => axis));

const drawable = (answer) => answer?.network?.layers && Math.max(...answer.network.sizes) <= MOST_UNITS;

/** Shows the graph of the answer's network; hides it where there is none. */
export function showNetwork(answer) {
  const there = Boolean(answer?.network) && ["classification", "regression"].includes(state.task);
  $("network").hidden = $("network-facts").hidden = !there;
  if (!there) return;
  if (!drawable(answer)) {
    lit.activations = null;
    $("network-inputs").replaceChildren();
    paintNetwork(answer);
    $("network-words").textContent = `Layers of ${answer.network.sizes.join(", ")} units are too wide to be drawn unit by unit; up to ${MOST_UNITS} are.`;
    return;
  }
  // What the sliders say is of the points where the steps before can be followed, else of the network itself.
  const wanted = answer.network.before ? answer.network.before.matrix[0].length : answer.network.sizes[0];
  if (lit.place?.length !== wanted) lit.place = middle(answer);
  showSliders(answer);
  light(answer);
}

// The mean of the points, or zero where the steps before the network bend the plane.
function middle({ network }) {
  const { points } = state.drawing;
  if (!network.before || !points.length) return network.layers[0].weights[0].map(() => 0);
  return columns().map((axis) => points.reduce((sum, { c }) => sum + c[axis], 0) / points.length);
}

function showSliders({ network }) {
  const rows = lit.place.slice(0, MOST_SLIDERS).map((value, index) => {
    const axis = columns()[index];
    const [low, high] = network.before ? range(state.drawing.points.map(({ c }) => c[axis])) : [-3, 3];
    const room = 0.25 * (high - low || 1);
    const input = element("input");
    Object.assign(input, { type: "range", min: low - room, max: high + room, step: "any", value, name: `network-input-${index}` });
    const number = element("output", neat(value));
    input.oninput = () => {
      lit.place[index] = Number(input.value);
      number.textContent = neat(lit.place[index]);
      light(shown.answer);
    };
    const label = element("label", undefined, "row");
    label.append(element("span", network.before ? state.drawing.names[axis] : `input ${index + 1}`), input, number);
    return label;
  });
  $("network-inputs").replaceChildren(...rows);
}

/** What the steps before the network make of a place. */
const before = ({ before: map }, place) => (map ? map.matrix.map((row, index) => row.reduce((sum, weight, axis) => sum + weight * place[axis], map.offset[index])) : place);

// Asks what every unit answers; the newest place wins.
async function light(answer) {
  asking?.abort();
  const mine = new AbortController();
  asking = mine;
  const { layers, activation, output } = answer.network;
  try {
    const found = await job("/api/activations", { layers, activation, output, input: before(answer.network, lit.place) }, mine.signal, () => {});
    if (asking !== mine) return;
    lit.activations = found;
    paintNetwork(answer);
    $("network-words").textContent = words(answer);
  } catch (error) {
    if (!mine.signal.aborted) $("network-words").textContent = error.message;
  }
}

function words({ network }) {
  const count = network.layers.reduce((sum, { weights, biases }) => sum + weights.flat().length + biases.length, 0);
  const outputs = lit.activations.at(-1);
  const said = state.task === "regression" ? `${state.drawing.names[state.axes[1]]} = ${neat(outputs[0])}`
    : names(network).map((name, index) => `${name} ${outputs[index].toFixed(3)}`).join(", ");
  return `${count} weights and biases; ${network.activation} units. Here: ${said}. ${network.before ? "Point at the canvas to move the input." : "The steps before the network bend the plane; the sliders set its inputs."}`;
}

// One output for two classes is the chance of the second of those that were learned from.
function names({ sizes }) {
  if (state.task === "regression") return [state.drawing.names[state.axes[1]]];
  const present = state.drawing.classes.filter((_, index) => state.drawing.points.some(({ k }) => k === index));
  return sizes.at(-1) === 1 ? [present[1] ?? ""] : present;
}

/** The graph as nodes and edges, for the painter. */
export function graphOf({ network }) {
  const spots = placed(network.sizes);
  const starts = network.sizes.map((_, layer) => network.sizes.slice(0, layer).reduce((sum, count) => sum + count, 0));
  const edges = network.layers.flatMap(({ weights }, layer) => weights.flatMap((row, to) => row.map((weight, from) => ({ from: starts[layer] + from, to: starts[layer + 1] + to, weight }))));
  const values = lit.activations?.flat() ?? [];
  const inputs = network.before && network.sizes[0] === columns().length ? columns().map((axis) => state.drawing.names[axis]) : [];
  const outputs = names(network);
  const nodes = spots.map((at, index) => ({ at, value: values[index] ?? null, name: inputs[index] ?? (index >= starts.at(-1) ? outputs[index - starts.at(-1)] : undefined) }));
  return { nodes, edges };
}

function paintNetwork(answer) {
  const [context, width, height] = sharp($("network-canvas"));
  if (!drawable(answer)) {
    context.fillStyle = themed("faint");
    context.textAlign = "center";
    context.fillText(answer.network.sizes.join(" → "), width / 2, height / 2);
    return;
  }
  const radius = Math.max(4, Math.min(13, (height - 20) / Math.max(...answer.network.sizes) / 2.6));
  paintGraph(context, graphOf(answer), [0, 10, width, height - 12], radius);
}

/** Listens to the canvas of the points: what is pointed at is what the network sees. */
export function wireNetwork() {
  $("points").addEventListener("pointermove", (event) => {
    if (!drawable(shown.answer) || $("network").hidden || !shown.answer.network.before || !lit.place) return;
    const box = $("points").getBoundingClientRect();
    const at = toWorld([event.clientX - box.left, event.clientY - box.top]);
    if (state.task === "regression") lit.place = [at[0]];
    else modelAxes().forEach((axis, index) => { lit.place[axis] = at[index]; });
    $("network-inputs").querySelectorAll("label").forEach((label, index) => {
      label.querySelector("input").value = lit.place[index];
      label.querySelector("output").textContent = neat(lit.place[index]);
    });
    light(shown.answer);
  });
}
