// What is known about the fitted model, in words, numbers and small pictures.

import { showChain } from "./chain.js";
import { tubeMargin, tubeSupports } from "./curve.js";
import { showDendrogram } from "./dendrogram.js";
import { showEigen } from "./eigen.js";
import { linkWords, nextMerge } from "./linkage.js";
import { supports } from "./margins.js";
import { css } from "./palette.js";
import { $, element, neat } from "./parts.js";
import { showQuality } from "./quality.js";
import { state } from "./state.js";
import { showTilt } from "./tilt.js";
import { showVariates, viewWords } from "./variates.js";
import { showWorkbench } from "./workbench.js";

/** Shows everything about an answer; nothing empties the panels. */
export function showModel(answer) {
  showFacts(answer);
  showConfusion(answer);
  showDendrogram(answer);
  showQuality(answer);
  showWorkbench(answer);
  showEigen(answer);
  showChain(answer);
  showVariates(answer);
  showTilt(answer);
  showAttributes(answer);
}

function showFacts(answer) {
  const box = $("facts");
  box.replaceChildren();
  if (!answer) {
    box.append(element("p", "Nothing fitted yet."));
    return;
  }
  const { facts, scores } = answer;
  const time = facts.seconds < 1 ? `${(facts.seconds * 1000).toPrecision(3)} ms` : `${facts.seconds.toPrecision(3)} s`;
  const made = facts.iterations ? `, ${facts.iterations} ${facts.iterations === 1 ? "iteration" : "iterations"} (${facts.stop})` : "";
  box.append(element("p", `Learned from ${scores.learned} points in ${time}${made}.`));
  for (const [part, words] of [["train", "on its own points"], ["test", "on held-back points"]]) {
    const figures = scores[part]?.figures ?? [];
    // How well one view is predicted from the other is not what two views are related for.
    if (!figures.length || state.task === "views") continue;
    const line = element("p", `${words}: `);
    line.append(element("b", figures.map((f) => `${f.metric ?? f.name} ${neat(f.value)}`).join(", ")));
    box.append(line);
  }
  const curve = answer.maps.find((map) => map.kind === "curve");
  if (curve?.deviation.length && state.bands) box.append(element("p", curve.own ? "Bands: one, two or three standard deviations, as the model knows them at each place." : `Bands: one, two or three root mean squared errors (${neat(curve.deviation[0])}); the model itself does not say how sure it is.`));
  if (curve && answer.tube) box.append(element("p", tube(answer, curve)));
  if (answer.points.scores) box.append(element("p", margins(answer)));
  if (state.layers.links && nextMerge(answer)) box.append(element("p", linkWords(nextMerge(answer), neat)));
  if (state.task === "views" && viewWords(answer)) box.append(element("p", viewWords(answer)));
  if (answer.points.log_probabilities) box.append(element("p", `log-probability of the paths: ${answer.points.log_probabilities.map(neat).join(", ")}`));
}

// The width of the margins and the points that hold them.
function margins(answer) {
  const list = supports(answer);
  const beyond = list.filter(({ slack }) => slack > 0.02).length;
  const coef = answer.attributes.find(({ name }) => name === "coef")?.value?.flat();
  const wide = coef ? `Margins ${neat(2 / Math.hypot(...coef))} apart, held` : "Margins held";
  return `${wide} by ${list.length} points: ${list.length - beyond} on them, ${beyond} beyond, with slack.`;
}

// The points that hold the tube, and its margin.
function tube(answer, curve) {
  const list = tubeSupports(answer);
  const outside = list.filter(({ slack }) => slack).length;
  const margin = tubeMargin(answer, curve);
  const wide = margin ? `, ε-margin 2ε/|w| = ${neat(margin)}` : "";
  return `Tube of ± ${neat(answer.tube)}${wide}: ${list.length - outside} points on its edge, ${outside} outside, with slack.`;
}

function showConfusion(answer) {
  const box = $("confusion");
  box.replaceChildren();
  for (const [part, words] of [["test", "held back"], ["train", "learned from"]]) {
    const counts = answer?.scores[part]?.confusion;
    if (!counts) continue;
    const title = `Confusion, points ${words} (rows true, columns predicted)`;
    const table = element("table");
    table.setAttribute("aria-label", title);
    const head = element("tr");
    head.append(element("th"), ...state.drawing.classes.map((name) => element("th", name)));
    table.append(head);
    const most = Math.max(1, ...counts.flat());
    counts.forEach((line, truth) => {
      const row = element("tr");
      row.append(element("th", state.drawing.classes[truth]));
      line.forEach((count, predicted) => {
        const cell = element("td", String(count));
        cell.style.background = css(truth === predicted ? 0 : 4, (0.55 * count) / most);
        row.append(cell);
      });
      table.append(row);
    });
    box.append(element("p", title, "quiet"), table);
  }
}

function showAttributes(answer) {
  const list = $("attributes").querySelector("dl");
  list.replaceChildren();
  for (const { name, meaning, value } of answer?.attributes ?? []) {
    list.append(element("dt", `${name} = ${brief(value)}`), element("dd", meaning));
  }
}

function brief(value) {
  if (value === null) return "–";
  if (value.shape) return `array of ${value.shape.join("×")}`;
  if (Array.isArray(value)) {
    const text = `[${value.slice(0, 6).map(brief).join(", ")}${value.length > 6 ? ", …" : ""}]`;
    return text.length > 160 ? `${text.slice(0, 160)}…` : text;
  }
  return typeof value === "number" ? neat(value) : String(value);
}
