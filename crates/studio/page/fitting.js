// Fitting as one draws: one question at a time, always the newest, and none that nobody waits for.

import { job } from "./api.js";
import { hasMargins, labelsSequences, tubeOf } from "./catalogue.js";
import { strokes } from "./geometry.js";
import { paint, shown } from "./picture.js";
import { tints } from "./palette.js";
import { edges, modelAxes, size } from "./plane.js";
import { say, sayProgress, unsay } from "./say.js";
import { knownClasses, seen, splitAt, state, trainingFlags } from "./state.js";

/** Milliseconds that a fit may take before a newer question cuts it short. */
const PATIENCE = 400;

let running = null;
let timer = null;
let again = false;
const listeners = [];

/** Calls back with the answer of every fit, or with nothing where there is none. */
export function whenFitted(listener) {
  listeners.push(listener);
}

/** What is asked of the server for these steps on these points, or nothing when there is nothing to fit. */
export function question(steps = state.steps, withMap = true, drawing = state.drawing) {
  const { points, classes } = drawing;
  if (!points.length || !steps.length) return null;
  const request = { spec: steps, classes };
  const train = drawing === state.drawing ? trainingFlags() : null;
  if (state.task === "sequence") {
    const order = strokes(points);
    request.rows = order.flat().map((index) => seen(points[index]));
    request.lengths = order.map((stroke) => stroke.length);
    if (labelsSequences()) request.labels = order.flat().map((index) => points[index].k);
  } else if (state.task === "regression") {
    // Along the horizontal axis is what is known, along the vertical one what is predicted.
    request.rows = points.map((p) => [p.c[state.axes[0]]]);
    request.values = points.map((p) => p.c[state.axes[1]]);
  } else if (state.task === "views") {
    const split = splitAt(drawing.names.length);
    request.rows = points.map(({ c }) => c.slice(0, split));
    request.targets = points.map(({ c }) => c.slice(split));
  } else {
    request.rows = points.map(seen);
  }
  if (state.task === "classification") request.labels = points.map((p) => p.k);
  if (state.task === "clustering") request.known = knownClasses();
  if (train && state.task !== "sequence") request.train = train;
  if (withMap && !["sequence", "views"].includes(state.task)) request.grid = grid(request.rows);
  if (state.task === "classification" && hasMargins()) request.margins = true;
  return request;
}

function grid(rows) {
  const { left, right, bottom, top } = edges();
  const width = Math.min(280, Math.max(40, Math.round(size.width / 4)));
  const height = Math.min(280, Math.max(40, Math.round((width * size.height) / size.width)));
  const base = rows[0].map((_, axis) => rows.reduce((sum, row) => sum + row[axis], 0) / rows.length);
  return { x: [left, right], y: [top, bottom], width, height, columns: modelAxes(), base };
}

/** The steps with the last one stopped after some iterations. */
export function stoppedAfter(iterations) {
  const steps = structuredClone(state.steps);
  steps[steps.length - 1].parameters.max_iter = iterations;
  return steps;
}

/** Fits soon, and however often it is asked for meanwhile, once; where it can wait, after the last time. */
export function fitSoon(wait = 40, canWait = false) {
  document.body.dataset.busy = "true";
  if (canWait) {
    clearTimeout(timer);
    timer = null;
  }
  timer ??= setTimeout(() => {
    timer = null;
    fitNow();
  }, wait);
}

/** Fits now; a fit that is young is waited for, so that something is seen while one draws. */
export function fitNow() {
  document.body.dataset.busy = "true";
  if (running && performance.now() - running.since < PATIENCE) {
    again = true;
    return;
  }
  running?.controller.abort();
  fit();
}

async function fit() {
  const mine = { controller: new AbortController(), since: performance.now() };
  running = mine;
  again = false;
  const request = question(state.step ? stoppedAfter(state.step) : state.steps);
  const region = edges();
  const slow = setTimeout(() => sayProgress("fitting …", null, stop, "fit"), 250);
  try {
    const answer = request && await job("/api/fit", request, mine.controller.signal, tell);
    if (running !== mine) return;
    show(answer, region);
    unsay("fit");
  } catch (error) {
    if (running !== mine) return;
    show(null, region);
    const stopped = mine.controller.signal.aborted;
    say(stopped ? "stopped" : error.message, !stopped, "fit");
  } finally {
    clearTimeout(slow);
    if (running === mine) next();
  }
}

function next() {
  running = null;
  if (again) fit();
  else if (timer === null) delete document.body.dataset.busy;
}

/** The answer for these steps with what the page adds to it: the colours of its groups, the width of its tube. */
export function completed(answer, steps) {
  // Support vectors are ringed where they lie among the points.
  if (answer) answer.figures = answer.figures.filter(({ name }) => !/support vectors/.test(name));
  if (answer && state.task === "regression") answer.tube = tubeOf(steps.at(-1), answer);
  if (answer?.points.clusters) answer.tints = tints(answer.points.clusters, state.drawing.points.map(({ k }) => k));
  return answer;
}

function show(answer, region) {
  completed(answer, state.steps);
  Object.assign(shown, { answer, region });
  paint();
  for (const listener of listeners) listener(answer);
}

function tell({ iteration, limit, name, objective }) {
  if (performance.now() - running.since < 250) return;
  const words = `iteration ${iteration}${limit ? ` of at most ${limit}` : ""}, ${name} ${Number(objective).toPrecision(6)}`;
  sayProgress(words, limit ? iteration / limit : null, stop, "fit");
}

/** Stops what is being fitted. */
export function stop() {
  again = false;
  running?.controller.abort();
}
