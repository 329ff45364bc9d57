// The picture: four layers of canvas, each painted only when what it shows has changed.

import { paintCurve } from "./curve.js";
import { paintWay } from "./descentview.js";
import { paintCursor, paintGrid, paintLegend, paintMarginals, paintOutline } from "./furniture.js";
import { paintGeometry, paintPaths } from "./geometry.js";
import { paintMaps } from "./maps.js";
import { themed } from "./palette.js";
import { fitView, fitted, size } from "./plane.js";
import { colourings, drawSamples, paintSelection, stampSamples } from "./samples.js";
import { changed, state } from "./state.js";

/** What the last fit answered, or nothing, and the part of the plane that it was asked about. */
export const shown = { answer: null, region: null };

/** Milliseconds of script that the last frame took. */
export const spent = { frame: 0 };

let layers = null;
let waiting = false;

// What every layer depends on.
const frame = () => [...Object.values(state.view), size.width, size.height, ...state.axes, document.documentElement.dataset.theme];

// The layers from the bottom up: how they are painted, and what makes a new painting necessary.
const LAYERS = {
  map: { work: paintMap, parts: () => [shown.answer, state.layers.map, state.layers.geometry, state.layers.grid, state.drawing.names] },
  points: {
    work: paintSamples,
    parts: () => [state.drawing, state.layers.samples, ...colourings(shown.answer)],
  },
  model: { work: paintModel, parts: () => [shown.answer, state.drawing, state.layers.map, state.layers.geometry, state.layers.links, state.layers.shading, state.bands, ...Object.values(state.hand)] },
  overlay: { work: paintOverlay, parts: () => [{}] },
};

/** Takes the canvases; the element around them gives their size. */
export function prepare(canvases) {
  layers = canvases;
  new ResizeObserver(resize).observe(canvases.map.parentElement);
  resize();
}

function resize() {
  const ratio = window.devicePixelRatio || 1;
  const box = layers.map.parentElement.getBoundingClientRect();
  const before = { ...size };
  [size.width, size.height] = [Math.max(1, box.width), Math.max(1, box.height)];
  // A larger window shows more of the plane, at the same scale, unless all of it is to be seen.
  if (fitted.on) {
    fitView();
  } else if (before.width > 1) {
    state.view.across *= size.width / before.width;
    state.view.up *= size.height / before.height;
  }
  for (const [name, canvas] of Object.entries(layers)) {
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
    LAYERS[name].last = null;
  }
  paint();
  if (before.width > 1) changed("view");
}

/** Paints before the next frame, however often it is asked for. */
export function paint() {
  if (waiting || !layers) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    const start = performance.now();
    for (const [name, layer] of Object.entries(LAYERS)) refresh(layer, layers[name].getContext("2d"));
    spent.frame = performance.now() - start;
  });
}

function refresh(layer, context) {
  const parts = [...frame(), ...layer.parts()];
  if (layer.last?.every((part, index) => part === parts[index])) return;
  layer.last = parts;
  context.clearRect(0, 0, size.width, size.height);
  layer.work(context);
}

/** The whole picture on one context: for export, and for small pictures of other answers. */
export function paintAll(context, { answer, region } = shown, furnished = true) {
  context.fillStyle = themed("canvas");
  context.fillRect(0, 0, size.width, size.height);
  if (answer && state.layers.map) paintMaps(context, answer, region);
  if (furnished && state.layers.grid) paintGrid(context);
  if (state.layers.samples) drawSamples(context, answer);
  paintAnswer(context, answer);
  if (furnished && state.layers.marginals) paintMarginals(context, answer);
  if (furnished && state.layers.legend) paintLegend(context, answer);
}

function paintMap(context) {
  const { answer, region } = shown;
  if (answer && state.layers.map) paintMaps(context, answer, region);
  if (state.layers.grid) paintGrid(context);
}

function paintSamples(context) {
  if (state.layers.samples) stampSamples(context, shown.answer);
}

function paintModel(context) {
  paintAnswer(context, shown.answer);
}

function paintAnswer(context, answer) {
  if (!answer) return;
  for (const map of answer.maps) if (map.kind === "curve" && state.layers.map) paintCurve(context, map, answer);
  if (state.hand.way) paintWay(context);
  if (state.layers.geometry) paintGeometry(context, answer);
  if (answer.points.states) paintPaths(context, answer);
}

function paintOverlay(context) {
  if (state.layers.marginals) paintMarginals(context, shown.answer);
  paintSelection(context);
  if (state.layers.legend) paintLegend(context, shown.answer);
  paintOutline(context);
  paintCursor(context);
}
