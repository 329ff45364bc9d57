// How good the groups are, and how many there should be.

import { job } from "./api.js";
import { last, parametersOf } from "./catalogue.js";
import { question } from "./fitting.js";
import { css, themed } from "./palette.js";
import { $, element, neat, sharp } from "./parts.js";
import { paint } from "./picture.js";
import { onChange, state } from "./state.js";
import { openSweep } from "./sweep.js";

const COUNTS = ["n_clusters", "n_components"];
const MOST = 10;
let running = null;

/** Shows the figures of an answer; other methods than those that find groups have none. */
export function showQuality(answer) {
  const quality = answer?.quality;
  const grouping = Boolean(quality) && state.task === "clustering";
  $("quality").hidden = !grouping;
  if (!grouping) {
    $("counts").hidden = true;
    return;
  }
  const noise = quality.noise ? `, ${quality.noise} points in none` : "";
  $("quality-figures").replaceChildren(
    element("p", `${quality.groups} ${quality.groups === 1 ? "group" : "groups"}${noise}.`),
    ...table(`By themselves (internal)${quality.noise ? ", points in none as one group" : ""}`, quality.internal),
    ...table("Beside the known classes (external)", quality.external),
  );
  $("known-row").hidden = state.drawing.points.every(({ k }) => k === null);
  $("known").value = state.known;
  $("known-value").textContent = `${state.known} %`;
}

function table(title, figures) {
  if (!figures.length) return [];
  const made = element("table");
  made.setAttribute("aria-label", title);
  const head = element("tr");
  head.append(...figures.map(({ name, better }) => element("th", `${name} ${better === "low" ? "↓" : "↑"}`)));
  const body = element("tr");
  body.append(...figures.map(({ value }) => element("td", neat(value))));
  made.append(element("caption", title), head, body);
  return [made];
}

/** Wires the controls; `found` hears of the number that a rule picks, `refit` of other known classes. */
export function wireQuality(found, refit) {
  $("known").oninput = () => {
    state.known = Number($("known").value);
    $("known-value").textContent = `${state.known} %`;
    paint();
    refit();
  };
  $("find-count").onclick = () => search(found);
  $("count-figures").onclick = () => {
    const name = COUNTS.find((candidate) => parametersOf(last().algorithm).some(([parameter]) => parameter === candidate));
    openSweep(name, "numbers", Array.from({ length: MOST }, (_, index) => index + 1));
  };
  $("criterion").onchange = clear;
  onChange((what) => {
    if (what === "drawing" || what === "method") clear();
  });
}

/** Only methods with a number of groups can be asked how many there should be. */
export function offerCounts(properties) {
  $("count-row").hidden = !COUNTS.some((name) => name in properties);
}

function clear() {
  $("counts").hidden = true;
  $("count-status").textContent = "";
  $("count-status").classList.remove("bad");
}

async function search(found) {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  clear();
  try {
    const request = question(state.steps, false);
    if (!request) throw new Error("draw some points first");
    Object.assign(request, { criterion: $("criterion").value, most: Math.min(MOST, request.rows.length - 1) });
    $("count-status").textContent = "trying numbers …";
    const answer = await job("/api/count", request, mine.signal, () => {});
    $("count-status").textContent = `${answer.chosen} by this rule.`;
    $("counts").hidden = false;
    $("count-title").textContent = `${$("criterion").selectedOptions[0].text} against ${answer.parameter}`;
    curve($("count-curve"), answer);
    found(answer.parameter, answer.chosen);
  } catch (error) {
    if (mine.signal.aborted) return;
    $("count-status").textContent = error.message;
    $("count-status").classList.add("bad");
  }
}

function curve(canvas, { counts, values, chosen }) {
  const [context, width, height] = sharp(canvas);
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const place = (index) => [16 + (index / Math.max(1, counts.length - 1)) * (width - 32), height - 18 - ((values[index] - low) / (high - low || 1)) * (height - 34)];
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  context.beginPath();
  values.forEach((value, index) => value !== null && context.lineTo(...place(index)));
  context.stroke();
  context.textAlign = "center";
  counts.forEach((count, index) => {
    context.fillStyle = count === chosen ? css(4) : css(0);
    context.beginPath();
    if (values[index] !== null) context.arc(...place(index), count === chosen ? 5 : 3, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = themed("faint");
    context.fillText(String(count), place(index)[0], height - 4);
  });
}
