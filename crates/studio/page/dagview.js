// A Bayesian network as one sees it: arrows from causes to effects, what is known, and the way that dependence takes.

import { css, themed } from "./palette.js";
import { sharp } from "./parts.js";

const RADIUS = 19;

// Long names need wide nodes.
const widthOf = (context, name) => Math.max(RADIUS, context.measureText(name).width / 2 + 11);

/** Where the nodes lie: one row for each layer, from the top. */
export function placesOf(layers, width, height) {
  const deepest = Math.max(...layers, 0);
  const seen = new Map();
  const counts = new Map();
  layers.forEach((layer) => counts.set(layer, (counts.get(layer) ?? 0) + 1));
  return layers.map((layer) => {
    const index = seen.get(layer) ?? 0;
    seen.set(layer, index + 1);
    // Every other row is shifted a little, so that arrows past a row do not run through a node.
    const shift = counts.get(layer) === 1 && layer % 2 ? 0.06 : 0;
    return [((index + 0.5) / counts.get(layer) + shift) * width, ((layer + 0.5) / (deepest + 1)) * height];
  });
}

/** The graph with what is asked, what is known, and the path that is shown. */
export function paintDag(canvas, { layers, asked, paths }, chosen) {
  const [context, width, height] = sharp(canvas);
  const places = placesOf(layers, width, height);
  const index = new Map(asked.nodes.map((name, node) => [name, node]));
  const path = paths[chosen];
  const onPath = (a, b) => path && path.nodes.some((node, at) => at > 0 && ((path.nodes[at - 1] === a && node === b) || (path.nodes[at - 1] === b && node === a)));
  for (const [parent, child] of asked.edges) {
    const [a, b] = [index.get(parent), index.get(child)];
    const ink = onPath(a, b) ? css(path.open ? 2 : 4) : themed("faint");
    paintArrowBetween(context, [places[a], widthOf(context, parent)], [places[b], widthOf(context, child)], ink, onPath(a, b) ? 4 : 1.5);
  }
  asked.nodes.forEach((name, node) => paintNode(context, places[node], name, { known: asked.given.includes(name), end: asked.from.includes(name) || asked.to.includes(name) }));
  for (const { node, gate, open } of path?.gates ?? []) paintGate(context, places[node], { gate, open, off: widthOf(context, asked.nodes[node]), width });
}

function paintArrowBetween(context, [[x0, y0], from], [[x1, y1], to], ink, wide) {
  const far = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [(x1 - x0) / far, (y1 - y0) / far];
  // Where the way leaves an ellipse of that width.
  const edge = (across) => 1 / Math.hypot(ux / across, uy / RADIUS);
  const [sx, sy, tx, ty] = [x0 + ux * edge(from), y0 + uy * edge(from), x1 - ux * (edge(to) + 2), y1 - uy * (edge(to) + 2)];
  const head = 7 + wide;
  context.strokeStyle = context.fillStyle = ink;
  context.lineWidth = wide;
  context.beginPath();
  context.moveTo(sx, sy);
  context.lineTo(tx - ux * head * 0.8, ty - uy * head * 0.8);
  context.stroke();
  context.beginPath();
  context.moveTo(tx, ty);
  context.lineTo(tx - ux * head - uy * head * 0.5, ty - uy * head + ux * head * 0.5);
  context.lineTo(tx - ux * head + uy * head * 0.5, ty - uy * head - ux * head * 0.5);
  context.fill();
}

function paintNode(context, [x, y], name, { known, end }) {
  context.beginPath();
  context.ellipse(x, y, widthOf(context, name), RADIUS, 0, 0, 2 * Math.PI);
  context.fillStyle = known ? themed("faint") : themed("canvas");
  context.fill();
  context.strokeStyle = end ? css(1) : themed("ink");
  context.lineWidth = end ? 4 : 1.4;
  context.stroke();
  context.fillStyle = known ? themed("canvas") : themed("ink");
  context.textAlign = "center";
  context.font = "600 12px system-ui, sans-serif";
  context.fillText(name, x, y + 4);
  context.font = "11px system-ui, sans-serif";
}

// What kind of gate the path meets here, beside the node, on the side where there is more room.
function paintGate(context, [x, y], { gate, open, off, width }) {
  const text = `${gate}: ${open ? "open" : "closed"}`;
  const wide = context.measureText(text).width + 10;
  const left = x < width / 2 ? Math.max(2, x - off - wide - 4) : Math.min(width - wide - 2, x + off + 4);
  context.fillStyle = themed("canvas");
  context.fillRect(left, y - 9, wide, 18);
  context.strokeStyle = css(open ? 2 : 4);
  context.lineWidth = 1.5;
  context.strokeRect(left, y - 9, wide, 18);
  context.fillStyle = themed("ink");
  context.textAlign = "left";
  context.fillText(text, left + 5, y + 4);
}
