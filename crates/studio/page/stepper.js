// Stepping through the iterations of a fit: fitting with `max_iter` at the step gives the same path.

import { entry, last } from "./catalogue.js";
import { fitNow } from "./fitting.js";
import { css, themed } from "./palette.js";
import { $, sharp } from "./parts.js";
import { changed, state } from "./state.js";
import { forgetSteps, rememberStep } from "./trail.js";

let trace = null;
let playing = null;
// What is stepped through in place of the iterations of the fit: a way that is known from end to end.
let way = null;

/**
 * Steps through a way in place of a fit; nothing goes back to the fit.
 * @param {{name: string, values: number[], at: () => number, to: (step: number) => void, again: () => void}|null} other
 */
export function stepThrough(other) {
  if (!other && way) stopPlaying();
  way = other;
  if (way) showWay();
}

function showWay() {
  const [at, last] = [way.at(), way.values.length - 1];
  $("stepper").hidden = false;
  $("step-seed").hidden = false;
  Object.assign($("step-slider"), { min: 0, max: last, value: at });
  $("step-value").textContent = `step ${at} of ${last}`;
  paintTrace($("trace"), way, at);
  if (!playing) return;
  clearTimeout(playing);
  playing = setTimeout(() => stepTo(at + 1), 120);
}

function stepAlong(step) {
  clearTimeout(playing);
  const last = way.values.length - 1;
  if (step >= last) stopPlaying();
  way.to(Math.max(0, Math.min(last, step)));
  showWay();
}

/** Shows the iterations of an answer, where its method has them. */
export function showStepper(answer) {
  if (way) return showWay();
  if (!state.step) begin(answer?.trace ?? null);
  const properties = entry(last()?.algorithm)?.schema.properties ?? {};
  const iterative = Boolean(trace && properties.max_iter);
  $("stepper").hidden = !iterative;
  if (!iterative) return;
  $("step-seed").hidden = !properties.random_state;
  const total = trace.values.length;
  const at = Math.min(state.step ?? total, total);
  if (answer) rememberStep(at, answer);
  Object.assign($("step-slider"), { min: 1, max: total, value: at });
  $("step-value").textContent = `iteration ${at} of ${total}`;
  paintTrace($("trace"), trace, at - 1);
  if (playing) playing = setTimeout(() => stepTo(at + 1), 350);
}

// A finished fit: another one than before unless it went the same way.
function begin(found) {
  const same = trace && found && trace.values.length === found.values.length && trace.values.every((value, index) => value === found.values[index]);
  trace = found;
  if (same) return;
  forgetSteps();
  const { init_centers: start } = last()?.parameters ?? {};
  if (start) rememberStep(0, { figures: [{ shape: { shape: "points", points: start } }] });
}

function stepTo(iteration) {
  if (way) return stepAlong(iteration);
  const total = trace?.values.length ?? 1;
  clearTimeout(playing);
  if (iteration >= total) {
    state.step = null;
    stopPlaying();
  } else {
    state.step = Math.max(1, iteration);
  }
  fitNow();
}

export function stopPlaying() {
  clearTimeout(playing);
  playing = null;
  $("step-play").textContent = "▶ play";
}

/** Plays the iterations, or pauses. */
export function play() {
  if (playing) {
    stopPlaying();
    return;
  }
  $("step-play").textContent = "❚❚ pause";
  playing = true;
  if (way) stepTo(way.at() < way.values.length - 1 ? way.at() + 1 : 0);
  else stepTo(state.step ? state.step + 1 : 1);
}

// Another seed, and the first iteration of it.
function reseed() {
  stopPlaying();
  if (way) return way.again();
  const { parameters } = last();
  parameters.random_state = (parameters.random_state ?? 0) + 1;
  changed("method");
}

export function wireStepper() {
  const here = () => (way ? way.at() : state.step ?? trace.values.length);
  const to = (iteration) => () => {
    stopPlaying();
    stepTo(iteration());
  };
  $("step-first").onclick = to(() => (way ? 0 : 1));
  $("step-back").onclick = to(() => here() - 1);
  $("step-forward").onclick = to(() => here() + 1);
  $("step-last").onclick = to(() => Infinity);
  $("step-play").onclick = play;
  $("step-seed").onclick = reseed;
  $("step-slider").oninput = to(() => Number($("step-slider").value));
}

// The objective after each step, with the shown one marked.
function paintTrace(canvas, { values, name }, at) {
  const [context, width, height] = sharp(canvas);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const place = (index) => [6 + (index / Math.max(1, values.length - 1)) * (width - 12), height - 6 - ((values[index] - low) / (high - low || 1)) * (height - 20)];
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  context.beginPath();
  values.forEach((_, index) => context.lineTo(...place(index)));
  context.stroke();
  context.fillStyle = css(4);
  context.beginPath();
  context.arc(...place(Math.min(at, values.length - 1)), 4, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = themed("faint");
  context.textAlign = values[0] > values.at(-1) ? "right" : "left";
  context.fillText(name, values[0] > values.at(-1) ? width - 6 : 6, 11);
}
