// Fitting as one draws: the newest question cancels the one before.

import { job } from "./api.js";
import { edges, size } from "./plane.js";
import { paint, shown, strokes } from "./picture.js";
import { state, trainingFlags } from "./state.js";

let running = null;
let timer = null;

/** What is asked of the server for these steps, or nothing when there is nothing to fit. */
export function question(steps = state.steps, withMap = true) {
  const { points, classes, names } = state.drawing;
  if (!points.length || !steps.length) return null;
  const request = { spec: steps, classes };
  const train = trainingFlags();
  if (state.task === "sequence") {
    const order = strokes(points);
    request.rows = order.flat().map((index) => points[index].c);
    request.lengths = order.map((stroke) => stroke.length);
  } else if (state.task === "regression") {
    // Along the horizontal axis is what is known, along the vertical one what is predicted.
    request.rows = points.map((p) => [p.c[state.axes[0]]]);
    request.values = points.map((p) => p.c[state.axes[1]]);
  } else {
    request.rows = points.map((p) => p.c);
  }
  if (state.task === "classification") request.labels = points.map((p) => p.k);
  if (state.task === "clustering") request.known = knownClasses(points);
  if (train && state.task !== "sequence") request.train = train;
  if (withMap && state.task !== "sequence") request.grid = grid(points, names);
  return request;
}

/** The classes that groups are judged by: of each class the share that counts as known, spread evenly. */
function knownClasses(points) {
  const share = Number(document.getElementById("known").value) / 100;
  const seen = [];
  return points.map(({ k }) => {
    if (k === null || k === undefined) return null;
    seen[k] = (seen[k] ?? 0) + 1;
    return Math.ceil(seen[k] * share) > Math.ceil((seen[k] - 1) * share) ? k : null;
  });
}

function grid(points, names) {
  const { left, right, bottom, top } = edges();
  const width = Math.min(280, Math.max(40, Math.round(size.width / 4)));
  const height = Math.min(280, Math.max(40, Math.round((width * size.height) / size.width)));
  const base = names.map((_, axis) => points.reduce((sum, p) => sum + p.c[axis], 0) / points.length);
  return { x: [left, right], y: [top, bottom], width, height, columns: state.axes, base };
}

/** The steps with the last one stopped after some iterations. */
export function stoppedAfter(iterations) {
  const steps = structuredClone(state.steps);
  steps[steps.length - 1].parameters.max_iter = iterations;
  return steps;
}

/** Fits soon; `done` hears the answer, `say` of progress and errors. */
export function fitSoon(done, say, wait = 40) {
  clearTimeout(timer);
  timer = setTimeout(() => fitNow(done, say), wait);
}

/** Fits now. */
export async function fitNow(done, say) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  const steps = state.step ? stoppedAfter(state.step) : state.steps;
  const request = question(steps);
  if (!request) {
    shown.answer = null;
    say("");
    paint();
    done(null);
    return;
  }
  const region = edges();
  const slow = setTimeout(() => say("fitting …", false, stop), 250);
  try {
    const answer = await job("/api/fit", request, mine.signal, (progress) => {
      const limit = progress.limit ? `/${progress.limit}` : "";
      say(`iteration ${progress.iteration}${limit}, ${progress.name} ${progress.objective.toPrecision(6)}`, false, stop);
    });
    if (running !== mine) return;
    shown.answer = answer;
    shown.region = region;
    say("");
    paint();
    done(answer);
  } catch (error) {
    if (mine.signal.aborted && running !== mine) return;
    shown.answer = null;
    paint();
    say(mine.signal.aborted ? "stopped" : error.message, !mine.signal.aborted);
    done(null);
  } finally {
    clearTimeout(slow);
  }
}

/** Stops what is being fitted. */
export function stop() {
  running?.abort();
}
