// Pictures of hidden states: the graph of their steps, what they emit, the trellis of one stroke, likely states.

import { paintArrow } from "./arrow.js";
import { css, inkOn, themed } from "./palette.js";
import { sharp } from "./parts.js";

/** Items that the trellis shows at once. */
export const WINDOW = 9;
const RADIUS = 15;
/** Weaker arcs are not seen. */
const FAINT = 0.004;

/** States around a ring with their steps: the thicker, the likelier; the start comes from outside. */
export function paintGraph(canvas, { names, lattice: { start, transitions } }) {
  const [context, width, height] = sharp(canvas);
  // An ellipse, for the picture is wider than high; a triangle lies lower than its middle.
  const [cx, cy, across, up] = [width / 2, height / 2 + (names.length === 3 ? 12 : 2), Math.max(40, width / 2 - 92), Math.max(30, height / 2 - 50)];
  const places = names.map((_, index) => {
    const angle = (2 * Math.PI * index) / names.length - Math.PI / 2;
    return { angle, spot: [cx + across * Math.cos(angle), cy + up * Math.sin(angle)] };
  });
  transitions.forEach((line, from) => line.forEach((share, to) => {
    if (share < FAINT) return;
    context.strokeStyle = css(from, 0.25 + 0.75 * share);
    context.fillStyle = context.strokeStyle;
    context.lineWidth = 0.6 + 4.4 * share;
    if (from === to) paintLoop(context, places[from], share);
    else paintStep(context, places[from].spot, places[to].spot, share);
  }));
  places.forEach(({ angle, spot: [x, y] }, index) => {
    if (start[index] > FAINT) {
      context.strokeStyle = themed("ink");
      context.fillStyle = themed("ink");
      context.lineWidth = 0.6 + 3 * start[index];
      // Loops point away from the middle, so the start comes from above or from the side.
      const side = Math.cos(angle) < -0.1 ? Math.PI + 0.7 : Math.cos(angle) > 0.1 ? -0.7 : 0.2;
      const out = [x + (RADIUS + 24) * Math.cos(side), y + (RADIUS + 24) * Math.sin(side)];
      paintArrow(context, out, [x + (RADIUS + 2) * Math.cos(side), y + (RADIUS + 2) * Math.sin(side)]);
      context.textAlign = Math.cos(side) < 0 ? "right" : "left";
      context.fillText(`π ${start[index].toFixed(2)}`, out[0] + 4 * Math.sign(Math.cos(side)), out[1] + 4);
      context.textAlign = "left";
    }
    paintState(context, [x, y], index, names[index], 1);
  });
}

function paintState(context, [x, y], index, name, strength, radius = RADIUS) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = themed("canvas");
  context.fill();
  context.fillStyle = css(index, 0.12 + 0.88 * strength);
  context.fill();
  context.strokeStyle = css(index);
  context.lineWidth = 1.5;
  context.stroke();
  context.fillStyle = strength > 0.55 ? inkOn(index) : themed("ink");
  context.textAlign = "center";
  context.fillText(name.slice(0, 4), x, y + 4);
  context.textAlign = "left";
}

// Both directions between two states bend to their own side.
function paintStep(context, from, to, share) {
  const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
  const long = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / long, dy / long];
  const side = 9;
  const a = [from[0] + ux * RADIUS - uy * side, from[1] + uy * RADIUS + ux * side];
  const b = [to[0] - ux * (RADIUS + 2) - uy * side, to[1] - uy * (RADIUS + 2) + ux * side];
  paintArrow(context, a, b);
  context.fillStyle = themed("faint");
  context.fillText(share.toFixed(2), (a[0] + 2 * b[0]) / 3 - uy * 9 - 8, (a[1] + 2 * b[1]) / 3 + ux * 9 + 4);
}

function paintLoop(context, { angle, spot: [x, y] }, share) {
  const [ox, oy] = [x + (RADIUS + 7) * Math.cos(angle), y + (RADIUS + 7) * Math.sin(angle)];
  context.beginPath();
  context.arc(ox, oy, 10, 0, 2 * Math.PI);
  context.stroke();
  context.fillStyle = themed("faint");
  context.textAlign = "center";
  context.fillText(share.toFixed(2), x + (RADIUS + 37) * Math.cos(angle), y + (RADIUS + 30) * Math.sin(angle) + 4);
  context.textAlign = "left";
}

/** What every state emits, by its bell over a column. */
export function paintEmissions(canvas, answer, { names }, column) {
  const [context, width, height] = sharp(canvas);
  const known = (name) => answer?.attributes.find((one) => one.name === name)?.value;
  const [means, covars] = ["means", "covars"].map(known);
  if (Array.isArray(means) && Array.isArray(covars)) paintBells(context, width, height, means.map((mean, index) => ({ mean: mean[column], deviation: Math.sqrt(covars[index][column][column]) })));
  else {
    context.fillStyle = themed("faint");
    context.fillText("this method tells states from items, not items from states", 8, 16);
  }
  names.forEach((name, index) => {
    context.fillStyle = css(index);
    context.fillRect(8 + index * 58, 6, 10, 10);
    context.fillStyle = themed("ink");
    context.fillText(name.slice(0, 6), 22 + index * 58, 15);
  });
}

function paintBells(context, width, height, bells) {
  const low = Math.min(...bells.map(({ mean, deviation }) => mean - 3.2 * deviation));
  const high = Math.max(...bells.map(({ mean, deviation }) => mean + 3.2 * deviation));
  const top = Math.max(...bells.map(({ deviation }) => 1 / deviation));
  const x = (value) => 8 + ((value - low) / (high - low)) * (width - 16);
  bells.forEach(({ mean, deviation }, index) => {
    context.beginPath();
    for (let step = 0; step <= 240; step++) {
      const value = low + (step / 240) * (high - low);
      const density = Math.exp(-0.5 * ((value - mean) / deviation) ** 2) / deviation / top;
      context.lineTo(x(value), height - 18 - density * (height - 44));
    }
    context.strokeStyle = css(index);
    context.lineWidth = 2;
    context.stroke();
    context.fillStyle = css(index, 0.16);
    context.lineTo(x(high), height - 18);
    context.lineTo(x(low), height - 18);
    context.fill();
    context.fillStyle = themed("faint");
    context.textAlign = "center";
    context.fillText(mean.toPrecision(3), x(mean), height - 5);
    context.textAlign = "left";
  });
}

/**
 * The arcs between two items in a view, each from 0 to 1 beside the strongest; nothing where there are none.
 * @returns {number[][]|null}
 */
export function arcs({ lattice, path }, view, step) {
  if (view === "best") return null;
  const { forward, backward, transitions, emissions, pairs } = lattice;
  if (view === "pairs") return pairs[step];
  const log = (value) => (value === null ? -Infinity : value);
  const weights = transitions.map((line, from) => line.map((share, to) => Math.log(share) + (view === "forward" ? log(forward[step][from]) : log(emissions[step + 1][to]) + log(backward[step + 1][to]))));
  const most = Math.max(...weights.flat());
  return weights.map((line) => line.map((value) => (most === -Infinity ? 0 : Math.exp(value - most))));
}

/** How strong every state of an item is in a view, from 0 to 1. */
export function strengths({ lattice, posteriors, path }, view, item) {
  if (view === "best") return posteriors[item].map((_, index) => (path[item] === index ? 1 : 0.08));
  if (view === "pairs") return posteriors[item];
  const values = lattice[view][item].map((value) => (value === null ? -Infinity : value));
  const most = Math.max(...values);
  return values.map((value) => (most === -Infinity ? 0 : Math.exp(value - most)));
}

/** The trellis around an item: a column of states for each, and the arcs of the view. */
export function paintTrellis(canvas, followed, view, at) {
  const [context, width, height] = sharp(canvas);
  const first = Math.max(0, Math.min(followed.shown - WINDOW, at - (WINDOW >> 1)));
  const count = Math.min(WINDOW, followed.shown);
  const x = (item) => 34 + ((item - first + 0.5) / count) * (width - 44);
  const y = (index) => 26 + ((index + 0.5) / followed.names.length) * (height - 46);
  const radius = Math.min(RADIUS, (height - 46) / followed.names.length / 2.4);
  // Arcs into the item are made going forward, those out of it going backward and for pairs.
  const lively = view === "forward" ? at - 1 : at;
  for (let step = first; step < first + count - 1; step++) {
    const found = arcs(followed, view, step);
    followed.names.forEach((_, from) => followed.names.forEach((__, to) => {
      const best = view === "best" && followed.path[step] === from && followed.path[step + 1] === to;
      const share = best ? 1 : found && step === lively ? found[from][to] : 0;
      context.strokeStyle = share > FAINT ? css(from, 0.2 + 0.8 * share) : themed("grid");
      context.lineWidth = share > FAINT ? 0.8 + 5 * share : 1;
      context.beginPath();
      context.moveTo(x(step), y(from));
      context.lineTo(x(step + 1), y(to));
      context.stroke();
    }));
  }
  for (let item = first; item < first + count; item++) {
    if (item === at) {
      context.fillStyle = css(4, 0.1);
      context.fillRect(x(item) - 20, 20, 40, height - 36);
    }
    // What is not made yet is empty.
    const made = view === "forward" ? item <= at : view === "backward" ? item >= at : true;
    const strong = strengths(followed, view, item);
    followed.names.forEach((name, index) => paintState(context, [x(item), y(index)], index, name, made ? strong[index] : 0, radius));
    context.fillStyle = themed(item === at ? "ink" : "faint");
    context.textAlign = "center";
    context.fillText(`x${item + 1}`, x(item), height - 4);
    context.textAlign = "left";
  }
}

/** How likely every state is along the whole stroke: a row for each, with the best path drawn over it. */
export function paintHeat(canvas, { names, posteriors, path, shown }, at) {
  const [context, width, height] = sharp(canvas);
  const [wide, tall] = [width / shown, height / names.length];
  posteriors.forEach((line, item) => line.forEach((share, index) => {
    context.fillStyle = css(index, share);
    context.fillRect(item * wide, index * tall, wide + 0.5, tall);
  }));
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.5;
  context.beginPath();
  path.forEach((index, item) => {
    context.lineTo(item * wide, (index + 0.5) * tall);
    context.lineTo((item + 1) * wide, (index + 0.5) * tall);
  });
  context.stroke();
  context.strokeStyle = css(4);
  context.lineWidth = 2;
  context.strokeRect(at * wide, 1, Math.max(2, wide), height - 2);
}
