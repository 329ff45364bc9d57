// The distances by which linkages measure how far two groups are apart.

import { paintArrow } from "./arrow.js";
import { paintCaption } from "./caption.js";
import { css } from "./palette.js";
import { look, toScreen, visible } from "./plane.js";
import { seen, state, trainingFlags } from "./state.js";

/** Pairs of points beyond which the distances are not looked at. */
const MOST_PAIRS = 1e6;

const known = new WeakMap();

/**
 * The two groups that the tree merges next, and how far apart they are by each rule; nothing where no
 * tree was cut into groups, or where another distance than Euclid's was used.
 */
export function nextMerge(answer) {
  const merges = answer.attributes.find(({ name }) => name === "linkage_matrix")?.value;
  // While other points are being fitted the tree is still that of those before.
  if (!Array.isArray(merges) || learnedPoints().length !== merges.length + 1) return null;
  if (!known.has(answer)) known.set(answer, measured(answer, merges));
  return known.get(answer);
}

function measured(answer, merges) {
  const { metric = "euclidean" } = state.steps.at(-1).parameters;
  if (state.steps.length > 1 || metric !== "euclidean") return null;
  const count = new Set(answer.points.clusters).size;
  const merge = merges[merges.length + 1 - count];
  if (count < 2 || !merge) return null;
  const learned = learnedPoints();
  const groups = [merge[0], merge[1]].map((node) => leavesOf(node, merges).map((leaf) => learned[leaf]));
  if (groups[0].length * groups[1].length > MOST_PAIRS) return null;
  return { groups, height: merge[2], ...apart(...groups) };
}

// The leaves of the tree are the points that were learned from.
function learnedPoints() {
  const flags = trainingFlags();
  return state.drawing.points.flatMap((_, index) => (!flags || flags[index] ? [index] : []));
}

function leavesOf(node, merges) {
  const leaves = [];
  const open = [node];
  while (open.length) {
    const next = open.pop();
    if (next <= merges.length) leaves.push(next);
    else open.push(merges[next - merges.length - 1][0], merges[next - merges.length - 1][1]);
  }
  return leaves;
}

function apart(one, two) {
  const { points } = state.drawing;
  const far = (a, b) => Math.hypot(...a.map((value, axis) => value - b[axis]));
  let [near, most, sum] = [{ distance: Infinity }, { distance: -1 }, 0];
  for (const a of one) {
    for (const b of two) {
      const distance = far(seen(points[a]), seen(points[b]));
      sum += distance;
      if (distance < near.distance) near = { distance, pair: [a, b] };
      if (distance > most.distance) most = { distance, pair: [a, b] };
    }
  }
  const means = [one, two].map((group) => points[0].c.map((_, axis) => group.reduce((total, index) => total + points[index].c[axis], 0) / group.length));
  const between = far(...means.map((c) => seen({ c })));
  return { single: near, complete: most, centroid: { distance: between, means }, average: sum / (one.length * two.length) };
}

/** The distances in words. */
export function linkWords({ single, complete, centroid, average }, neat) {
  return `The two groups that merge next are ${neat(single.distance)} apart by their nearest points (single), ${neat(complete.distance)} by their farthest (complete), ${neat(average)} on average, ${neat(centroid.distance)} by their means (centroid).`;
}

/** Nearest pair, farthest pair and means of the two groups, each joined by a line. */
export function paintLinks(context, answer) {
  const merge = nextMerge(answer);
  if (!merge) return;
  const { points } = state.drawing;
  const ends = {
    single: merge.single.pair.map((index) => visible(points[index].c)),
    complete: merge.complete.pair.map((index) => visible(points[index].c)),
    centroid: merge.centroid.means.map((mean) => toScreen(state.axes.map((axis) => mean[axis]))),
  };
  Object.entries(ends).forEach(([name, [from, to]], index) => {
    context.strokeStyle = css(4 - index);
    context.lineWidth = 2 * look.scale;
    paintArrow(context, from, to);
    paintArrow(context, to, from);
    paintCaption(context, `${name} ${Number(merge[name].distance.toPrecision(3))}`, [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2 - 7]);
  });
}
