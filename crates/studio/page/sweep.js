// The same points under several settings: small multiples side by side, their figures in numbers, or one after the other.

import { entry, last } from "./catalogue.js";
import { setParameter } from "./methods.js";
import { $, button, element } from "./parts.js";
import { paintSmall, panelOf } from "./panel.js";
import { size } from "./plane.js";
import { guarded, say } from "./say.js";
import { save } from "./share.js";
import { sheetPng, sheetSvg } from "./sheet.js";
import { draw, state } from "./state.js";
import { film } from "./film.js";
import { choose, measure, numbersView } from "./sweepnumbers.js";
import { NOISE, chosenKind, suggest, values, variable, varied, written } from "./sweepvalues.js";

const WIDE = 280;
const MOST = 12;
const MOST_NUMBERS = 30;

let running = null;
let panels = [];
// Rows of pictures that were kept to be compared with those of another method.
let kept = [];

/** Opens the dialog with what can be varied; one of them may be named, with its values. */
export function openSweep(wanted = $("sweep-parameter").value, view = $("sweep-view").value, list = null) {
  $("sweep-parameter").replaceChildren(...variable().map(([name]) => new Option(name, name, false, name === wanted)));
  $("sweep-view").value = view;
  suggest();
  if (list) $("sweep-values").value = list.join(", ");
  $("sweep").showModal();
  run();
}

async function run() {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  panels = [];
  tell("");
  const view = $("sweep-view").value;
  $("repeats-row").hidden = view !== "numbers";
  $("frames-row").hidden = view !== "film";
  for (const part of document.querySelectorAll("#sweep [data-for]")) part.hidden = part.dataset.for !== view;
  showKept(view);
  try {
    const name = $("sweep-parameter").value;
    const list = values(view === "numbers" ? MOST_NUMBERS : MOST);
    Object.assign($("sweep-bar"), { max: list.length, value: 0 });
    if (view === "numbers") await numbers(name, list, mine.signal);
    else if (view === "film") await frames(name, list, mine.signal);
    else await pictures(name, list, mine.signal);
  } catch (error) {
    if (!mine.signal.aborted) tell(error.message);
  }
}

// What was kept stays above what is drawn now.
function showKept(view) {
  const rows = view === "pictures" ? kept : [];
  $("sweep-grid").replaceChildren(...rows.flatMap(({ title, panels: list }) => [element("h3", title), ...list.map(card)]));
  if (rows.length) $("sweep-grid").append(element("h3", titleNow()));
}

const titleNow = () => `${state.steps.map(({ algorithm }) => algorithm).join(" | ")}, by ${$("sweep-parameter").value}`;

async function pictures(name, list, signal) {
  for (const [index, value] of list.entries()) {
    const panel = await panelOf(name, value, signal);
    if (signal.aborted) return;
    panels.push(panel);
    $("sweep-grid").append(card(panel));
    $("sweep-bar").value = index + 1;
  }
}

async function numbers(name, list, signal) {
  const rows = [];
  const show = (chosen) => $("sweep-grid").replaceChildren(numbersView(name, rows, (value) => use(name, value), chosen));
  await measure(name, list, Math.max(1, Math.min(20, Number($("sweep-repeats").value) || 1)), signal, (row) => {
    rows.push(row);
    $("sweep-bar").value = rows.length;
    show(null);
  });
  show(await choose(name, rows, signal));
}

async function frames(name, list, signal) {
  const count = Math.max(2, Math.min(120, Number($("sweep-frames").value) || 24));
  $("sweep-bar").max = count;
  await film.shoot(name, list, { count, smooth: chosenKind() === "number" }, signal, (done) => {
    $("sweep-bar").value = done;
    if (done === 1) $("sweep-grid").replaceChildren(film.screen());
  });
  film.play();
}

function use(name, value) {
  if (name === NOISE) draw(varied(name, value).drawing);
  else setParameter(name, value);
  $("sweep").close();
}

function tell(text) {
  $("sweep-status").textContent = text;
}

function card(panel) {
  const ratio = window.devicePixelRatio || 1;
  const made = button(undefined, "Use this value", () => use(panel.name, panel.value));
  // A value of another method cannot be used with this one.
  made.disabled = panel.algorithm !== last().algorithm;
  const canvas = element("canvas");
  canvas.width = WIDE * ratio;
  canvas.height = Math.round((WIDE * ratio * size.height) / size.width);
  const context = canvas.getContext("2d");
  context.scale(canvas.width / size.width, canvas.width / size.width);
  paintSmall(context, panel, WIDE);
  made.append(element("b", `${panel.name} = ${written(panel.value)}`), canvas, element("span", panel.words));
  made.dataset.value = written(panel.value);
  return made;
}

const everything = () => [...kept.flatMap(({ panels: list }) => list), ...panels];

function keep() {
  if (!panels.length) return;
  kept.push({ title: titleNow(), panels });
  $("sweep-forget").disabled = false;
  tell("");
  say("kept; choose another method or parameter to compare with");
  run();
}

export function wireSweep() {
  $("open-sweep").onclick = () => entry(last()?.algorithm) && openSweep();
  $("sweep-parameter").onchange = () => {
    suggest();
    run();
  };
  for (const id of ["sweep-values", "sweep-view", "sweep-repeats", "sweep-frames"]) $(id).onchange = run;
  $("sweep-again").onclick = run;
  $("sweep-stop").onclick = () => running?.abort();
  $("save-sweep").onclick = guarded(async () => save("small-multiples.svg", await sheetSvg(everything()), "image/svg+xml"));
  $("png-sweep").onclick = guarded(async () => save("small-multiples.png", await sheetPng(everything())));
  $("copy-sweep").onclick = guarded(async () => {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": sheetPng(everything()) })]);
    tell("the pictures are in the clipboard");
  });
  $("sweep-keep").onclick = keep;
  $("sweep-forget").onclick = () => {
    kept = [];
    $("sweep-forget").disabled = true;
    run();
  };
  $("film-zip").onclick = guarded(async () => save("frames.zip", await film.archive()));
  $("film-png").onclick = guarded(async () => save("animation.png", await film.animation()));
  $("sweep").onclose = () => {
    running?.abort();
    film.stop();
  };
}
