// Where a model was in the steps before, so that one sees it move.

import { paintLine } from "./margins.js";
import { rows } from "./matrix.js";
import { css, themed, tint } from "./palette.js";
import { look, placed, toScreen } from "./plane.js";
import { state } from "./state.js";

const steps = new Map();

/** Forgets all steps: the next one belongs to another fit. */
export function forgetSteps() {
  steps.clear();
}

/** Keeps what the model drew after so many iterations; zero is the start. */
export function rememberStep(iteration, { figures, maps = [] }) {
  steps.set(iteration, { shapes: figures.map(({ shape }) => shape), curve: maps.find(({ kind }) => kind === "curve") });
}

/** The iterations before this one that were seen, oldest first. */
export const stepsBefore = (iteration) => [...steps.keys()].filter((step) => step < iteration).sort((a, b) => a - b);

/** Lines and ways of centres in the steps before; the older, the fainter. */
export function paintTrail(context, answer) {
  const seen = stepsBefore(state.step ?? Infinity);
  context.strokeStyle = themed("ink");
  context.lineWidth = look.scale;
  seen.forEach((step, index) => {
    context.globalAlpha = 0.12 + (0.4 * (index + 1)) / (seen.length + 1);
    paintEarlier(context, steps.get(step));
  });
  context.globalAlpha = 1;
  if (state.task !== "regression") paintWays(context, answer, seen);
}

function paintEarlier(context, { shapes, curve }) {
  if (curve) {
    context.beginPath();
    curve.x.forEach((x, index) => context.lineTo(...toScreen([x, curve.y[index]])));
    context.stroke();
  }
  if (state.task === "regression") return;
  for (const { shape, normals, offsets } of shapes) {
    if (shape === "hyperplanes") rows(normals).forEach((normal, index) => normal.length === 2 && paintLine(context, normal, offsets[index]));
  }
}

const centresOf = (shapes) => {
  const found = shapes.find(({ points, centers, shape }) => shape !== "balls" && (points ?? centers));
  return found ? rows(found.points ?? found.centers) : [];
};

// Each centre from where it started to where it is: a ring at the start, a dot after every step.
function paintWays(context, answer, seen) {
  const now = centresOf(answer.figures.map(({ shape }) => shape));
  if (!seen.length || !now.length || answer.figures.some(({ shape }) => shape.shape === "edges")) return;
  const way = seen.map((step) => centresOf(steps.get(step).shapes));
  now.forEach((centre, index) => {
    const places = [...way.map((list) => list[index]).filter(Boolean), centre].map(placed);
    context.strokeStyle = css(tint(answer, index));
    context.fillStyle = css(tint(answer, index));
    context.lineWidth = 1.5 * look.scale;
    context.beginPath();
    for (const place of places) context.lineTo(...place);
    context.stroke();
    places.slice(0, -1).forEach(([x, y], step) => {
      context.beginPath();
      context.arc(x, y, (step ? 3 : 6) * look.scale, 0, 2 * Math.PI);
      if (step) context.fill();
      else context.stroke();
    });
  });
}
