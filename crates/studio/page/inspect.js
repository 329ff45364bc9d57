// Looking at the data themselves: every pair of columns, every column, every row.

import { columnViews } from "./columnviews.js";
import { $, sharp } from "./parts.js";
import { fitView } from "./plane.js";
import { rowViews } from "./rowviews.js";
import { changed, state } from "./state.js";

/** Most columns that are shown at once; more would be too small to read. */
const MOST_COLUMNS = 10;

const VIEWS = { ...columnViews, ...rowViews };

// How the view in space is turned.
const turn = { around: 0.6, over: 0.35 };

/** The data as the views need them: columns of numbers, the class of each row. */
function data() {
  const { names, points, classes } = state.drawing;
  const shownNames = names.slice(0, MOST_COLUMNS);
  return {
    names: shownNames,
    columns: shownNames.map((_, axis) => Float64Array.from(points, (p) => p.c[axis])),
    labels: points.map((p) => p.k),
    classes,
    turn,
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
  if (found.labels.length) view.paint(context, width, height, found);
}

export function wireInspect() {
  $("inspect-view").replaceChildren(...Object.entries(VIEWS).map(([id, { name }]) => new Option(name, id)));
  $("open-inspect").onclick = () => {
    $("inspect").showModal();
    show();
  };
  $("inspect-view").onchange = show;
  const canvas = $("inspect-canvas");
  canvas.onclick = (event) => {
    const picked = VIEWS[$("inspect-view").value].pick?.(event.offsetX, event.offsetY, canvas.clientWidth, canvas.clientHeight, data());
    if (!picked) return;
    state.axes = picked;
    fitView();
    changed("view");
    $("inspect").close();
  };
  canvas.onpointermove = (event) => {
    if (!event.buttons || !VIEWS[$("inspect-view").value].turns) return;
    turn.around += event.movementX * 0.01;
    turn.over = Math.max(-1.5, Math.min(1.5, turn.over + event.movementY * 0.01));
    show();
  };
  canvas.onkeydown = (event) => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (!step || !VIEWS[$("inspect-view").value].turns) return;
    event.preventDefault();
    turn.around += step[0];
    turn.over += step[1];
    show();
  };
}
