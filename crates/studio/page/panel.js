// One of the small multiples: what the method with a value makes of the points.

import { job } from "./api.js";
import { last } from "./catalogue.js";
import { completed, question } from "./fitting.js";
import { holderWords } from "./holders.js";
import { asIf } from "./noise.js";
import { neat } from "./parts.js";
import { paintAll } from "./picture.js";
import { edges, look, size } from "./plane.js";
import { state } from "./state.js";
import { varied } from "./sweepvalues.js";

/**
 * What the method makes of the points, or why it makes nothing.
 * @returns {Promise<{name: string, value: any, algorithm: string, drawing: Object, region: Object, answer: Object|null, words: string}>}
 */
export async function panelOf(name, value, signal) {
  const { steps, drawing } = varied(name, value);
  const request = asIf(drawing, () => question(steps));
  if (!request) throw new Error("draw some points first");
  if (request.grid) {
    request.grid.height = Math.max(40, Math.round((120 * request.grid.height) / request.grid.width));
    request.grid.width = 120;
  }
  const panel = { name, value, algorithm: last().algorithm, drawing, region: edges() };
  try {
    const answer = await job("/api/fit", request, signal, () => {});
    asIf(drawing, () => {
      panel.answer = completed(answer, steps);
      panel.words = said(panel.answer);
    });
  } catch (error) {
    if (signal.aborted) throw error;
    panel.answer = null;
    panel.words = error.message;
  }
  return panel;
}

// The few numbers by which settings are compared.
function said(answer) {
  const { scores, quality, points, trace } = answer;
  const figure = (part, words) => {
    const found = scores[part]?.figures?.[0];
    return found ? [`${found.metric ?? found.name} ${neat(found.value)}${words}`] : [];
  };
  const parts = [...figure("train", scores.test ? " learned" : ""), ...figure("test", " held back")];
  if (quality && state.task === "clustering") {
    parts.unshift(`${quality.groups} ${quality.groups === 1 ? "group" : "groups"}${quality.noise ? `, ${quality.noise} in none` : ""}`);
    for (const { name, value } of quality.internal.filter((one) => ["RSS", "BIC"].includes(one.name))) parts.push(`${name} ${neat(value)}`);
  }
  const held = holderWords(answer);
  if (trace && parts.length < 2 && !held.length) parts.push(`${trace.name} ${neat(trace.values.at(-1))}`);
  parts.push(...held);
  if (points.scores && !held.length) parts.push(`${points.scores.filter((score, index) => Math.abs(score) <= 1.02 && state.drawing.points[index]?.k !== null).length} in the margins`);
  return parts.join(" · ");
}

/** Paints a panel that will be seen this wide: everything is thicker in a picture that is shown small. */
export function paintSmall(context, panel, wide) {
  look.scale = Math.min(2.2, size.width / wide / 1.3);
  try {
    asIf(panel.drawing, () => paintAll(context, panel, false));
  } finally {
    look.scale = 1;
  }
}
