// A network as a graph: units as discs, weights as lines whose colour is the sign and whose thickness is the size.

import { css, themed } from "./palette.js";

/** Graphs with at most so many lines have their weights written on them. */
const WRITTEN = 14;

/** Thickest and thinnest line. */
const [THICK, THIN] = [6, 0.6];

/**
 * @typedef {{at: [number, number], name?: string, value?: number|null, kind?: "bias", mark?: string, beside?: boolean}} Node
 *   `at` as shares of the width and height; `value` is the activation, shown as the fill; the name stands above or beside
 * @typedef {{from: number, to: number, weight: number, called?: string, bend?: number, silent?: boolean}} Edge
 */

/** How thick the line of a weight is, beside the largest. */
export const thickness = (weight, largest) => THIN + (THICK - THIN) * (largest ? Math.abs(weight) / largest : 0);

/** Which colour the line of a weight has: blue above zero, orange below. */
export const inkOf = (weight) => css(weight < 0 ? 4 : 0);

/** Where layers of so many units lie, one column for each layer. */
export function placed(sizes) {
  return sizes.flatMap((count, layer) => Array.from({ length: count }, (_, unit) => [(layer + 0.5) / sizes.length, (unit + 0.5) / count]));
}

/** Paints the graph into a box of the context. */
export function paintGraph(context, { nodes, edges }, [left, top, width, height], radius = 13) {
  const spot = ({ at: [x, y] }) => [left + x * width, top + y * height];
  const largest = Math.max(...edges.map(({ weight }) => Math.abs(weight)), 0);
  const written = edges.length <= WRITTEN;
  context.lineCap = "round";
  edges.forEach((edge, index) => paintEdge(context, edge, spot(nodes[edge.from]), spot(nodes[edge.to]), { largest, radius, written, index }));
  nodes.forEach((node) => paintNode(context, node, spot(node), radius));
  context.textAlign = "left";
}

function paintEdge(context, { weight, called, bend = 0, silent }, [x0, y0], [x1, y1], { largest, radius, written, index }) {
  const far = Math.hypot(x1 - x0, y1 - y0) || 1;
  const [ux, uy] = [(x1 - x0) / far, (y1 - y0) / far];
  // A bent line leads past what stands between, by so much of its length.
  const middle = [(x0 + x1) / 2 - uy * bend * far, (y0 + y1) / 2 + ux * bend * far];
  context.strokeStyle = inkOf(weight);
  context.lineWidth = thickness(weight, largest);
  context.globalAlpha = 0.85;
  context.beginPath();
  context.moveTo(x0 + ux * radius, y0 + uy * radius);
  context.quadraticCurveTo(...middle, x1 - ux * radius, y1 - uy * radius);
  context.stroke();
  context.globalAlpha = 1;
  if (!written || silent) return;
  // Lines that cross have their numbers at different shares of the way.
  const share = bend ? 0.5 : 0.3 + 0.14 * (index % 3);
  const [x, y] = bend ? [(middle[0] + (x0 + x1) / 2) / 2, (middle[1] + (y0 + y1) / 2) / 2] : [x0 + share * (x1 - x0), y0 + share * (y1 - y0)];
  write(context, `${called ? `${called} ` : ""}${short(weight)}`, x, y);
}

/** A number on a graph. */
export const short = (value) => String(Math.abs(value) >= 0.01 ? Number(value.toFixed(2)) : Number(value.toPrecision(1))).replace("-", "−");

// Text on a patch of the ground, so that lines do not cross it.
function write(context, text, x, y) {
  const half = context.measureText(text).width / 2 + 3;
  context.fillStyle = themed("canvas");
  context.globalAlpha = 0.88;
  context.fillRect(x - half, y - 7, 2 * half, 14);
  context.globalAlpha = 1;
  context.fillStyle = themed("ink");
  context.textAlign = "center";
  context.fillText(text, x, y + 4);
}

function paintNode(context, { name, value, kind, mark, beside }, [x, y], radius) {
  context.beginPath();
  if (kind === "bias") context.rect(x - radius * 0.75, y - radius * 0.75, radius * 1.5, radius * 1.5);
  else context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = themed("canvas");
  context.fill();
  if (Number.isFinite(value)) {
    // The fuller, the further from zero; the colour is the sign.
    context.fillStyle = css(value < 0 ? 4 : 0, 0.75 * Math.min(1, Math.abs(value)));
    context.fill();
  }
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.3;
  context.stroke();
  context.fillStyle = themed("ink");
  context.textAlign = "center";
  const inside = mark ?? (Number.isFinite(value) ? String(Number(value.toFixed(radius < 14 ? 1 : 2))).replace("-", "−") : "");
  if (radius >= 10) context.fillText(inside, x, y + 4);
  if (!name) return;
  context.textAlign = beside ? "left" : "center";
  context.fillText(name, beside ? x + radius + 6 : x, beside ? y + 4 : y - radius - 4);
}
