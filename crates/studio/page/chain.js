// The dialog of hidden states: how they follow each other, what they emit, and every way through one stroke.

import { job } from "./api.js";
import { question } from "./fitting.js";
import { paintEmissions, paintGraph, paintHeat, paintTrellis, WINDOW } from "./chainview.js";
import { strokes } from "./geometry.js";
import { $, neat } from "./parts.js";
import { shown } from "./picture.js";
import { guarded } from "./say.js";
import { state } from "./state.js";

const MILLISECONDS = 600;

/** What the views of the trellis show, each with what it says at an item. */
const VIEWS = {
  forward: (t) => `α: every way here from the start, added up. Arcs into item ${t + 1} carry α(i)·a(i, j); with b(j) they make its α.`,
  backward: (t) => `β: every way on to the end, added up. Arcs out of item ${t + 1} carry a(i, j)·b(j)·β(j); their sum is its β.`,
  pairs: (t) => `ξ: how likely each step from item ${t + 1} to the next is, given the whole stroke; the arcs add up to one.`,
  best: () => "The best path: of all ways the one with the largest product of its edges a(i, j)·b(j).",
};

let followed = null;
let at = 0;
let timer = null;
let asked = 0;

/** What the server said about the stroke. */
export const chainNow = () => followed;

/** Shows the button where the model has hidden states. */
export function showChain(answer) {
  $("open-chain").hidden = !answer?.points.states;
}

async function open() {
  const list = strokes(state.drawing.points);
  $("chain-stroke").replaceChildren(...list.map((stroke, index) => new Option(`stroke ${index + 1}, ${stroke.length} items`, index)));
  const names = (state.visibleOnly ? state.axes : state.drawing.names.map((_, axis) => axis)).map((axis) => state.drawing.names[axis]);
  $("chain-column").replaceChildren(...names.map((name, index) => new Option(name, index)));
  $("chain").showModal();
  await follow();
}

async function follow() {
  const mine = ++asked;
  followed = null;
  const answer = await job("/api/chain", { ...question(state.steps, false), sequence: Number($("chain-stroke").value) }, undefined, () => {});
  if (mine !== asked) return;
  // States that nobody named are numbers.
  followed = { ...answer, names: answer.names.map((name) => (/^\d+$/.test(name) ? `s${name}` : name)) };
  // Other models of sequences know no sums over paths, but which states are likely.
  for (const option of $("chain-view").options) option.disabled = !answer.lattice && option.value !== "best";
  if (!answer.lattice) $("chain-view").value = "best";
  $("chain-at").max = answer.shown;
  at = 0;
  show();
}

function show() {
  if (!followed) return;
  $("chain-at").value = String(at + 1);
  $("chain-place").textContent = `item ${at + 1} of ${followed.length}`;
  const view = $("chain-view").value;
  const there = Boolean(followed.lattice);
  $("chain-graph").hidden = !there;
  if (there) paintGraph($("chain-graph"), followed);
  paintEmissions($("chain-emissions"), shown.answer, followed, Number($("chain-column").value));
  paintTrellis($("chain-trellis"), followed, view, at);
  paintHeat($("chain-heat"), followed, at);
  $("chain-words").textContent = `${VIEWS[view](at)} ${numbers(view)}`;
}

function numbers(view) {
  const { lattice, path, names, log_probability: best, posteriors } = followed;
  const likely = `Here ${names.map((name, index) => `${name} ${(100 * posteriors[at][index]).toFixed(0)} %`).join(", ")}.`;
  if (!lattice) return `${likely} On the best path: ${names[path[at]]}.`;
  const log = (value) => (value === null ? "−∞" : neat(value));
  if (view === "forward") return `ln α: ${lattice.forward[at].map((value, index) => `${names[index]} ${log(value)}`).join(", ")}. At the end they add up to p(x), ln p(x) = ${log(lattice.log_likelihood)}.`;
  if (view === "backward") return `ln β: ${lattice.backward[at].map((value, index) => `${names[index]} ${log(value)}`).join(", ")}.`;
  if (view === "best") return `ln p(path, x) = ${log(best)} of ln p(x) = ${log(lattice.log_likelihood)}: ${(100 * Math.exp(best - lattice.log_likelihood)).toPrecision(3)} % of all ways. ${likely}`;
  return likely;
}

function move(to) {
  if (!followed) return;
  at = Math.max(0, Math.min(followed.shown - 1, to));
  show();
}

// The sums go forward or backward, as they are made.
function play() {
  if (timer) return stop();
  const back = $("chain-view").value === "backward";
  if (back ? at === 0 : at >= followed.shown - 1) at = back ? followed.shown - 1 : 0;
  $("chain-play").textContent = "❚❚ pause";
  timer = setInterval(() => {
    move(at + (back ? -1 : 1));
    if (back ? at === 0 : at >= followed.shown - 1) stop();
  }, MILLISECONDS);
}

function stop() {
  clearInterval(timer);
  timer = null;
  $("chain-play").textContent = "▶ play";
}

export function wireChain() {
  const told = (work) => async (...given) => {
    try {
      await work(...given);
    } catch (error) {
      $("chain-words").textContent = error.message;
    }
  };
  $("open-chain").onclick = guarded(told(open));
  $("chain-stroke").onchange = told(follow);
  for (const id of ["chain-view", "chain-column"]) $(id).onchange = () => { stop(); show(); };
  $("chain-at").oninput = () => { stop(); move(Number($("chain-at").value) - 1); };
  $("chain-play").onclick = play;
  $("chain-heat").onclick = (event) => followed && move(Math.floor((event.offsetX / $("chain-heat").getBoundingClientRect().width) * followed.shown));
  $("chain-trellis").onkeydown = (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, PageDown: WINDOW, PageUp: -WINDOW }[event.key];
    if (!step) return;
    event.preventDefault();
    move(at + step);
  };
  $("chain").onclose = stop;
}
