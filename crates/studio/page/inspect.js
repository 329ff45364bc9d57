// Looking at the data themselves: every pair of columns, every column, every row.

import { columnViews } from "./columnviews.js";
import { graphViews } from "./graphview.js";
import { $, element, sharp } from "./parts.js";
import { fitView } from "./plane.js";
import { rowViews } from "./rowviews.js";
import { turns } from "./space.js";
import { changed, state } from "./state.js";

/** Most columns that are shown at once; more would be too small to read. */
const MOST_COLUMNS = 10;

const VIEWS = { ...columnViews, ...rowViews, ...graphViews };

// What is chosen for the view that is shown, where it has something to choose.
let chosen = {};

/** The data as the views need them: columns of numbers, the class of each row. */
function data() {
  const { names, points, classes } = state.drawing;
  const shownNames = names.slice(0, MOST_COLUMNS);
  return {
    names: shownNames,
    columns: shownNames.map((_, axis) => Float64Array.from(points, (p) => p.c[axis])),
    labels: points.map((p) => p.k),
    classes,
    axes: state.axes.map((axis) => Math.min(axis, shownNames.length - 1)),
  };
}

function show() {
  const view = VIEWS[$("inspect-view").value];
  const found = data();
  const left = state.drawing.names.length - found.names.length;
  $("inspect-summary").textContent = view.summary + (left > 0 ? ` The first ${found.names.length} columns of ${state.drawing.names.length}.` : "");
  const canvas = $("inspect-canvas");
  canvas.setAttribute("aria-label", view.summary);
  const [context, width, height] = sharp(canvas);
  $("inspect-words").textContent = (found.labels.length && view.paint(context, width, height, found, chosen)) || "";
}

// Words become a list, a number and the largest that it may be a slider.
function offerOptions() {
  const view = VIEWS[$("inspect-view").value];
  const options = state.drawing.points.length ? view.options?.(data()) ?? {} : {};
  chosen = Object.fromEntries(Object.entries(options).map(([name, [first]]) => [name, first]));
  $("inspect-options").replaceChildren(...Object.entries(options).map(([name, list]) => {
    const label = element("label", `${name} `, "row");
    label.append(typeof list[0] === "number" ? slider(name, list) : listOf(name, list));
    return label;
  }));
  show();
}

function slider(name, [value, most]) {
  const input = element("input");
  Object.assign(input, { type: "range", name: `inspect-${name}`, min: 0, max: most, step: most / 200, value });
  input.oninput = () => {
    chosen[name] = Number(input.value);
    show();
  };
  return input;
}

function listOf(name, words) {
  const select = element("select");
  select.name = `inspect-${name}`;
  select.append(...words.map((word) => new Option(word, word)));
  select.onchange = () => {
    chosen[name] = select.value;
    show();
  };
  return select;
}

export function wireInspect() {
  $("inspect-view").replaceChildren(...Object.entries(VIEWS).map(([id, { name }]) => new Option(name, id)));
  $("open-inspect").onclick = () => {
    $("inspect").showModal();
    offerOptions();
  };
  $("inspect-view").onchange = offerOptions;
  const canvas = $("inspect-canvas");
  canvas.onclick = (event) => {
    const picked = VIEWS[$("inspect-view").value].pick?.(event.offsetX, event.offsetY, canvas.clientWidth, canvas.clientHeight, data());
    if (!picked) return;
    state.axes = picked;
    fitView();
    changed("view");
    $("inspect").close();
  };
  turns(canvas, () => VIEWS[$("inspect-view").value].turns, show);
}
