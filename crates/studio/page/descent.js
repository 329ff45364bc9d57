// The whole way down the squared error of a line, step by step, with every point in every step.

import { job } from "./api.js";
import { isLeastSquares } from "./catalogue.js";
import { paintBowl, startAt } from "./descentview.js";
import { learned } from "./pairs.js";
import { $, neat } from "./parts.js";
import { paint } from "./picture.js";
import { guarded } from "./say.js";
import { random } from "./scenes/points.js";
import { state } from "./state.js";
import { stepThrough } from "./stepper.js";

const MOST_STEPS = 500;
const FLAT = 1e-6;

// Where the way begins: a place that was clicked, or one by chance. A new seed is a new place.
let clicked = null;
let seed = 3;
// The newest question; answers to older ones are too late.
let asked = 0;

/** Asks for the way down to the line of an answer, where that is shown, and shows it. */
export async function showDescent(answer) {
  const mine = ++asked;
  const wanted = Boolean(answer) && state.task === "regression" && state.layers.descent && isLeastSquares();
  $("descent").hidden = $("descent-facts").hidden = !wanted;
  if (!wanted) return leave();
  const [x, y] = state.axes.map((axis) => learned().map(({ c }) => c[axis]));
  const request = { x, y, start: clicked ?? byChance(x, y), step: Number($("eta").value), max_iter: MOST_STEPS, gradient_tolerance: FLAT };
  const found = await job("/api/descent", request, undefined, () => {});
  if (mine !== asked) return;
  // The same way again, after the view has moved say, is gone on with where one stands.
  const again = state.hand.way?.errors.length === found.errors.length && found.errors.every((value, step) => value === state.hand.way.errors[step]);
  state.hand.way = found;
  moveTo(again ? state.hand.along : found.path.length - 1);
  stepThrough({ name: "error", values: found.errors, at: () => state.hand.along, to: moveTo, again: elsewhere });
  tell();
}

function leave() {
  stepThrough(null);
  if (!state.hand.way) return;
  state.hand.way = null;
  paint();
}

// Some spreads away from the middle of the points, in whatever units they have.
function byChance(x, y) {
  const { normal } = random(seed);
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const spread = (list, middle) => Math.sqrt(mean(list.map((value) => (value - middle) ** 2))) || 1;
  const [across, up] = [spread(x, mean(x)), spread(y, mean(y))];
  return [(2 * up * normal()) / across, mean(y) + 2 * up * normal()];
}

function moveTo(step) {
  state.hand.along = step;
  paintBowl($("bowl"));
  paint();
}

function elsewhere() {
  clicked = null;
  seed++;
  guarded(showDescent)({});
}

function tell() {
  const { path, errors, reason, eta, longest, bottom, least } = state.hand.way;
  const [slope, offset] = path.at(-1);
  $("eta-value").textContent = `${neat(eta)}, ${Number(((100 * eta) / longest).toPrecision(3))} % of 2/λ`;
  $("descent-words").textContent = `${path.length - 1} steps, then it stopped: ${reason}. `
    + `Error ${neat(errors.at(-1))} at slope ${neat(slope)} and offset ${neat(offset)}; in closed form ${neat(least)} at ${neat(bottom[0])} and ${neat(bottom[1])}. `
    + `Below 2/λ = ${neat(longest)}, λ the largest curvature of the error, it falls from step to step.`;
}

export function wireDescent() {
  $("eta").oninput = () => guarded(showDescent)({});
  $("bowl").onclick = (event) => {
    clicked = startAt($("bowl"), [event.offsetX, event.offsetY]);
    guarded(showDescent)({});
  };
}
