// The tree of merges, with a cut that one drags.

import { css, themed, tint } from "./palette.js";
import { $, sharp } from "./parts.js";
import { state, trainingFlags } from "./state.js";

const EDGE = 8;
let tree = null;

/** Shows the tree of an answer where its model has one. */
export function showDendrogram(answer) {
  const merges = answer?.attributes.find((attribute) => attribute.name === "linkage_matrix")?.value;
  tree = Array.isArray(merges) && merges.length ? { merges, clusters: learnedClusters(answer) } : null;
  $("tree").hidden = !tree;
  if (tree) paintTree();
}

/** Lets one drag the cut; `cut` hears of its height. */
export function wireDendrogram(cut) {
  const canvas = $("dendrogram");
  const move = (event) => {
    if (!tree || !event.buttons) return;
    const box = canvas.getBoundingClientRect();
    const share = 1 - (event.clientY - box.top - EDGE) / (box.height - 2 * EDGE);
    cut(Number((Math.max(0, share) * top()).toPrecision(4)));
  };
  canvas.onpointerdown = (event) => {
    canvas.setPointerCapture(event.pointerId);
    move(event);
  };
  canvas.onpointermove = move;
  canvas.onkeydown = (event) => {
    const step = { ArrowUp: 0.02, ArrowDown: -0.02 }[event.key];
    if (!step || !tree) return;
    event.preventDefault();
    cut(Number(Math.max(0, height() + step * top()).toPrecision(4)));
  };
}

// The leaves of the tree are the points that were learned from.
function learnedClusters(answer) {
  const flags = trainingFlags();
  return (answer.points.clusters ?? []).filter((_, index) => !flags || flags[index]).map((cluster) => tint(answer, cluster));
}

const top = () => 1.05 * Math.max(...tree.merges.map((merge) => merge[2]), Number.MIN_VALUE);

// Where the tree is cut: at the height that was asked for, or between the merges that leave as many clusters.
function height() {
  const { distance_threshold: asked } = state.steps.at(-1).parameters;
  if (asked !== undefined && asked !== null) return asked;
  const heights = tree.merges.map((merge) => merge[2]).sort((a, b) => a - b);
  const count = new Set(tree.clusters).size;
  const [below, above] = [heights[heights.length - count] ?? 0, heights[heights.length - count + 1] ?? top()];
  return (below + above) / 2;
}

// Where each leaf and merge stands: leaves side by side, merges between their two parts.
function layout() {
  const { merges } = tree;
  const leaves = merges.length + 1;
  const order = [];
  const pending = [leaves + merges.length - 1];
  while (pending.length) {
    const node = pending.pop();
    if (node < leaves) order.push(node);
    else pending.push(merges[node - leaves][1], merges[node - leaves][0]);
  }
  const across = new Array(leaves + merges.length);
  order.forEach((leaf, place) => { across[leaf] = place; });
  const first = Array.from({ length: leaves }, (_, leaf) => leaf);
  merges.forEach(([left, right], index) => {
    across[leaves + index] = (across[left] + across[right]) / 2;
    first.push(first[left]);
  });
  return { leaves, across, first };
}

function paintTree() {
  const [context, width, tall] = sharp($("dendrogram"));
  const { merges, clusters } = tree;
  const { leaves, across, first } = layout();
  const x = (node) => EDGE + ((across[node] + 0.5) / leaves) * (width - 2 * EDGE);
  const y = (value) => tall - EDGE - (value / top()) * (tall - 2 * EDGE);
  const level = (node) => (node < leaves ? 0 : merges[node - leaves][2]);
  const at = height();
  context.lineWidth = 1.5;
  merges.forEach(([left, right, merged]) => {
    context.strokeStyle = merged < at ? css(clusters[first[left]] ?? null) : themed("faint");
    context.beginPath();
    context.moveTo(x(left), y(level(left)));
    context.lineTo(x(left), y(merged));
    context.lineTo(x(right), y(merged));
    context.lineTo(x(right), y(level(right)));
    context.stroke();
  });
  context.strokeStyle = themed("ink");
  context.setLineDash([6, 4]);
  context.beginPath();
  context.moveTo(0, y(at));
  context.lineTo(width, y(at));
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = themed("ink");
  context.fillText(`cut at ${Number(at.toPrecision(3))}: ${new Set(clusters).size} clusters`, EDGE, y(at) - 4);
}
