// The same points under several settings: small multiples side by side, or their figures in numbers.

import { job } from "./api.js";
import { entry, last, parametersOf } from "./catalogue.js";
import { completed, question } from "./fitting.js";
import { setParameter } from "./methods.js";
import { $, button, element, neat } from "./parts.js";
import { paintAll } from "./picture.js";
import { edges, look, size } from "./plane.js";
import { Recorder, save, svgOf } from "./share.js";
import { state } from "./state.js";
import { measure, numbersView } from "./sweepnumbers.js";

const WIDE = 280;
const MOST = 12;
const MOST_NUMBERS = 30;
// Seeds and limits vary how, not what is computed; they come after the rest.
const TECHNICAL = ["max_iter", "tol", "random_state", "n_init"];

let running = null;
let panels = [];

/** Opens the dialog with the parameters of the method; one of them may be named, with its values. */
export function openSweep(wanted = $("sweep-parameter").value, view = $("sweep-view").value, list = null) {
  const usable = parametersOf(last().algorithm).filter(([, part, schema]) => kindOf(part, schema));
  usable.sort((a, b) => rank(a) - rank(b));
  $("sweep-parameter").replaceChildren(...usable.map(([name]) => new Option(name, name, false, name === wanted)));
  $("sweep-view").value = view;
  suggest();
  if (list) $("sweep-values").value = list.join(", ");
  $("sweep").showModal();
  run();
}

// Numbers say most when they vary, then words, then switches.
const rank = ([name, part, schema]) => (TECHNICAL.includes(name) ? 9 : ["integer", "number", "words", "boolean"].indexOf(kindOf(part, schema)) >> 1);

// "words", "boolean", "integer" or "number"; nothing for what cannot be varied.
function kindOf(part, schema) {
  if (words(part).length) return "words";
  const options = [part, ...(part.anyOf ?? [])].map((option) => (option.$ref ? schema.$defs[option.$ref.split("/").pop()] : option));
  const types = options.flatMap((option) => option.type ?? []);
  return ["boolean", "integer", "number"].find((type) => types.includes(type));
}

const words = (part) => part.enum ?? (part.oneOf ?? []).flatMap((option) => (option.const !== undefined ? [option.const] : option.enum ?? []));

const chosen = () => parametersOf(last().algorithm).find(([name]) => name === $("sweep-parameter").value);

// Values that are worth seeing: every word, or numbers around the one that is set.
function suggest() {
  if (!chosen()) return;
  const [name, part, schema] = chosen();
  const kind = kindOf(part, schema);
  const now = last().parameters[name] ?? part.default;
  const least = part.minimum ?? part.exclusiveMinimum ?? -Infinity;
  const most = part.maximum ?? Infinity;
  let list;
  if (kind === "words") list = words(part);
  else if (kind === "boolean") list = [false, true];
  else if (name === "random_state") list = [0, 1, 2, 3, 4, 5];
  else if (kind === "integer") list = [...new Set([1, 2, 3, 5, 9, 15].map((step) => Math.max(least, Math.min(most, now > 20 ? Math.round((now * step) / 5) : step))))];
  else list = Number.isFinite(most) ? [0.02, 0.2, 0.4, 0.6, 0.8, 0.98].map((share) => Math.max(least, 0) + share * (most - Math.max(least, 0))) : [0.01, 0.1, 0.5, 2, 10, 100].map((factor) => factor * (Math.abs(now) || 1));
  $("sweep-values").value = list.map((value) => (typeof value === "number" ? Number(value.toPrecision(3)) : value)).join(", ");
}

function values() {
  const [, part, schema] = chosen();
  const kind = kindOf(part, schema);
  const list = $("sweep-values").value.split(/[\s,;]+/).filter(Boolean);
  if (!list.length) throw new Error("name at least one value");
  const most = $("sweep-view").value === "numbers" ? MOST_NUMBERS : MOST;
  if (list.length > most) throw new Error(`at most ${most} values are tried at once`);
  return list.map((text) => {
    if (kind === "words") return text;
    if (kind === "boolean") return text === "true";
    if (!Number.isFinite(Number(text))) throw new Error(`${text} is not a number`);
    return Number(text);
  });
}

async function run() {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  const grid = $("sweep-grid");
  grid.replaceChildren();
  panels = [];
  tell("");
  const inNumbers = $("sweep-view").value === "numbers";
  $("repeats-row").hidden = !inNumbers;
  $("save-sweep").hidden = inNumbers;
  try {
    const name = $("sweep-parameter").value;
    const list = values();
    $("sweep-bar").max = list.length;
    if (inNumbers) return await numbers(name, list, mine.signal);
    for (const [index, value] of list.entries()) {
      $("sweep-bar").value = index;
      const panel = await one(name, value, mine.signal);
      if (mine.signal.aborted) return;
      panels.push(panel);
      grid.append(show(panel));
    }
    $("sweep-bar").value = list.length;
  } catch (error) {
    if (!mine.signal.aborted) tell(error.message);
  }
}

async function numbers(name, list, signal) {
  const rows = [];
  await measure(name, list, Math.max(1, Math.min(20, Number($("sweep-repeats").value) || 1)), signal, (row) => {
    rows.push(row);
    $("sweep-bar").value = rows.length;
    $("sweep-grid").replaceChildren(numbersView(name, rows, (value) => use(name, value)));
  });
}

function use(name, value) {
  setParameter(name, value);
  $("sweep").close();
}

function tell(text) {
  $("sweep-status").textContent = text;
}

// What the method with this value makes of the points, or why it makes nothing.
async function one(name, value, signal) {
  const steps = structuredClone(state.steps);
  steps.at(-1).parameters[name] = value;
  const request = question(steps);
  if (!request) throw new Error("draw some points first");
  if (request.grid) {
    request.grid.height = Math.max(40, Math.round((120 * request.grid.height) / request.grid.width));
    request.grid.width = 120;
  }
  const panel = { name, value, region: edges() };
  try {
    panel.answer = completed(await job("/api/fit", request, signal, () => {}), steps);
    panel.words = said(panel.answer);
  } catch (error) {
    if (signal.aborted) throw error;
    panel.answer = null;
    panel.words = error.message;
  }
  return panel;
}

// The few numbers by which settings are compared.
function said({ scores, quality, points, trace }) {
  const figure = (part, words) => {
    const found = scores[part]?.figures?.[0];
    return found ? [`${found.metric ?? found.name} ${neat(found.value)}${words}`] : [];
  };
  const parts = [...figure("train", scores.test ? " learned" : ""), ...figure("test", " held back")];
  if (quality && state.task === "clustering") {
    parts.unshift(`${quality.groups} ${quality.groups === 1 ? "group" : "groups"}${quality.noise ? `, ${quality.noise} in none` : ""}`);
    for (const { name, value } of quality.internal.filter((one) => ["RSS", "BIC"].includes(one.name))) parts.push(`${name} ${neat(value)}`);
  }
  if (trace && parts.length < 2) parts.push(`${trace.name} ${neat(trace.values.at(-1))}`);
  if (points.scores) parts.push(`${points.scores.filter((score, index) => Math.abs(score) <= 1.02 && state.drawing.points[index]?.k !== null).length} in the margins`);
  return parts.join(" · ");
}

// Everything is thicker in a picture that is shown small.
function paintSmall(context, panel) {
  look.scale = Math.min(2.2, size.width / WIDE / 1.3);
  try {
    paintAll(context, panel, false);
  } finally {
    look.scale = 1;
  }
}

function show(panel) {
  const ratio = window.devicePixelRatio || 1;
  const card = button(undefined, "Use this value", () => use(panel.name, panel.value));
  const canvas = element("canvas");
  canvas.width = WIDE * ratio;
  canvas.height = Math.round((WIDE * ratio * size.height) / size.width);
  const context = canvas.getContext("2d");
  context.scale(canvas.width / size.width, canvas.width / size.width);
  paintSmall(context, panel);
  card.append(element("b", `${panel.name} = ${panel.value}`), canvas, element("span", panel.words));
  card.dataset.value = String(panel.value);
  return card;
}

// All panels in one picture, three in a row.
async function saveAll() {
  const tall = (WIDE * size.height) / size.width + 40;
  const across = Math.min(3, panels.length);
  const parts = [];
  for (const [index, panel] of panels.entries()) {
    const recorder = new Recorder();
    paintSmall(recorder, panel);
    recorder.fillStyle = "#555";
    const inner = await recorder.text();
    const [x, y] = [(index % across) * (WIDE + 12), Math.floor(index / across) * tall];
    const caption = (words, down, weight) => `<text x="${x}" y="${y + down}" font-family="sans-serif" font-size="11" font-weight="${weight}" fill="#333">${escape(words)}</text>`;
    parts.push(caption(`${panel.name} = ${panel.value}`, 12, 700), `<svg x="${x}" y="${y + 16}" width="${WIDE}" height="${tall - 40}" viewBox="0 0 ${size.width} ${size.height}">${inner}</svg>`, caption(panel.words ?? "", tall - 10, 400));
  }
  save("small-multiples.svg", svgOf(parts.join(""), across * (WIDE + 12), Math.ceil(panels.length / across) * tall), "image/svg+xml");
}

const escape = (text) => text.replace(/[&<]/g, (c) => ({ "&": "&amp;", "<": "&lt;" })[c]);

export function wireSweep() {
  $("open-sweep").onclick = () => entry(last()?.algorithm) && openSweep();
  $("sweep-parameter").onchange = () => {
    suggest();
    run();
  };
  for (const id of ["sweep-values", "sweep-view", "sweep-repeats"]) $(id).onchange = run;
  $("sweep-again").onclick = run;
  $("sweep-stop").onclick = () => running?.abort();
  $("save-sweep").onclick = saveAll;
  $("sweep").onclose = () => running?.abort();
}
