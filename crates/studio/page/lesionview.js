// A damaged network: what its map has become, and its accuracy by the share of weights that it lost.

import { scaleOf } from "./isolinesview.js";
import { shares } from "./maps.js";
import { css, themed } from "./palette.js";
import { sharp } from "./parts.js";

const EDGE = { left: 46, right: 24, top: 26, bottom: 40 };

// The map of each step is made into a picture once.
const made = new WeakMap();

function mapOf(step, { cells: [width, height], count }) {
  if (!made.has(step)) made.set(step, shares({ kind: "classes", width, height, count, bytes: step.map }, {}));
  return made.get(step);
}

/** Paints the map of a step over the part of the plane that was asked about, with the points. */
export function paintDamage(canvas, answer, step, region, dots) {
  const [context, wide, tall] = sharp(canvas);
  const frame = { x: 0, y: 0, wide, tall };
  const { toScreen } = scaleOf(frame, region);
  const { image, lines } = mapOf(step, answer);
  context.drawImage(image, 0, 0, wide, tall);
  context.strokeStyle = themed("ink");
  context.globalAlpha = 0.75;
  context.lineWidth = 1.5;
  context.beginPath();
  for (const { pieces } of lines) {
    for (let at = 0; at < pieces.length; at += 4) {
      context.moveTo(pieces[at] * wide, pieces[at + 1] * tall);
      context.lineTo(pieces[at + 2] * wide, pieces[at + 3] * tall);
    }
  }
  context.stroke();
  context.globalAlpha = 1;
  for (const { place, k } of dots) {
    const [x, y] = toScreen(place);
    context.beginPath();
    context.arc(x, y, 3.2, 0, 2 * Math.PI);
    context.fillStyle = css(k);
    context.fill();
    context.strokeStyle = themed("canvas");
    context.lineWidth = 0.8;
    context.stroke();
  }
}

/** Mean, least and greatest accuracy of a step. */
export const summary = ({ scores }) => ({ mean: scores.reduce((sum, score) => sum + score, 0) / scores.length, low: Math.min(...scores), high: Math.max(...scores) });

/** The share at a place of the canvas of the curve. */
export const shareAt = (canvas, x) => Math.max(0, Math.min(1, (x - EDGE.left) / (canvas.clientWidth - EDGE.left - EDGE.right)));

/** Paints the accuracy against the share that is lost, and where one stands. */
export function paintLoss(canvas, answer, at) {
  const [context, width, height] = sharp(canvas);
  const across = (share) => EDGE.left + share * (width - EDGE.left - EDGE.right);
  const up = (score) => height - EDGE.bottom - score * (height - EDGE.top - EDGE.bottom);
  paintScales(context, across, up, width, height);
  const list = answer.steps.map((step) => ({ share: step.share, ...summary(step), first: step.scores[0] }));
  context.fillStyle = css(0, 0.18);
  context.beginPath();
  for (const { share, high } of list) context.lineTo(across(share), up(high));
  for (const { share, low } of list.toReversed()) context.lineTo(across(share), up(low));
  context.fill();
  const stroke = (value, style, thick, dash = []) => {
    context.strokeStyle = style;
    context.lineWidth = thick;
    context.setLineDash(dash);
    context.beginPath();
    for (const one of list) context.lineTo(across(one.share), up(value(one)));
    context.stroke();
    context.setLineDash([]);
  };
  stroke(() => answer.chance, themed("faint"), 1.2, [5, 4]);
  stroke(({ first }) => first, css(4), 1.4);
  stroke(({ mean }) => mean, css(0), 2.6);
  const here = list[at];
  context.fillStyle = css(0);
  context.beginPath();
  context.arc(across(here.share), up(here.mean), 5, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = css(4);
  context.beginPath();
  context.arc(across(here.share), up(here.first), 4, 0, 2 * Math.PI);
  context.fill();
  paintKey(context, answer, up, across);
}

function paintScales(context, across, up, width, height) {
  context.strokeStyle = themed("grid");
  context.fillStyle = themed("faint");
  context.lineWidth = 1;
  for (let step = 0; step <= 5; step++) {
    context.textAlign = "right";
    context.fillText(`${20 * step} %`, EDGE.left - 6, up(step / 5) + 4);
    context.textAlign = "center";
    context.fillText(`${20 * step} %`, across(step / 5), height - EDGE.bottom + 15);
    context.beginPath();
    context.moveTo(across(0), up(step / 5));
    context.lineTo(across(1), up(step / 5));
    context.moveTo(across(step / 5), up(0));
    context.lineTo(across(step / 5), up(1));
    context.stroke();
  }
  context.fillText("share of the weights that are lost", (EDGE.left + width) / 2, height - 6);
  context.textAlign = "left";
  context.fillText("accuracy", 4, 14);
}

// What the lines are, at the lower left, where a curve that begins at the top never is.
function paintKey(context, answer, up, across) {
  const lines = [[css(0), `mean of ${answer.steps[0].scores.length} networks, with their span`], [css(4), "the network that is shown"], [themed("faint"), "saying the most frequent class"]];
  lines.forEach(([style, text], index) => {
    const y = up(0) - 14 - 17 * (lines.length - 1 - index);
    context.fillStyle = style;
    context.fillRect(across(0) + 8, y - 5, 16, 3);
    context.fillStyle = themed("ink");
    context.fillText(text, across(0) + 30, y);
  });
}
