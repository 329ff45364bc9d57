// The left side: tools with their options, classes, axes, layers.

import { css } from "./palette.js";
import { $, button, element } from "./parts.js";
import { paint } from "./picture.js";
import { fitView } from "./plane.js";
import { canRedo, canUndo, changed, draw, splitAt, state } from "./state.js";
import { TOOLS } from "./tools.js";

const LAYERS = { samples: "points", labels: "class colours", predictions: "predicted colours", outcomes: "outcomes", geometry: "model geometry", links: "link distances", map: "map", shading: "density of a curve", descent: "descent to a line", grid: "grid", legend: "legend", marginals: "marginals" };
// Layers that say something for some tasks alone.
const ONLY = { labels: ["classification", "clustering", "transformation", "views", "density"], predictions: ["classification", "clustering"], outcomes: ["classification"], links: ["clustering"], shading: ["regression"], descent: ["regression"] };
const LIMITS = { radius: [5, 120], rate: [1, 40], count: [1, 500], spread: [0, 60], angle: [-90, 90] };
const CHOICES = { shape: ["normal", "uniform"], what: ["point", "class"] };

export function showTools() {
  $("tools").replaceChildren(...Object.entries(TOOLS).map(([id, tool]) => {
    const made = button(tool.name, `${tool.help} (${tool.key.toUpperCase()})`, () => useTool(id));
    return radio(made, state.tool === id);
  }));
  const { options = {} } = TOOLS[state.tool];
  $("tool-options").replaceChildren(...Object.keys(options).map((name) => (LIMITS[name] ? slider(options, name) : choice(options, name))));
}

function radio(made, checked) {
  made.setAttribute("role", "radio");
  made.setAttribute("aria-checked", String(checked));
  return made;
}

function field(name, ...controls) {
  const made = element("label", undefined, "field");
  made.append(element("span", name), ...controls);
  return made;
}

function slider(options, name) {
  const input = element("input");
  const value = element("output", String(options[name]));
  const [min, max] = LIMITS[name];
  Object.assign(input, { type: "range", min, max, value: options[name], name: `tool-${name}` });
  input.oninput = () => {
    options[name] = Number(input.value);
    value.textContent = input.value;
  };
  return field(name, value, input);
}

function choice(options, name) {
  const select = element("select");
  select.name = `tool-${name}`;
  select.append(...CHOICES[name].map((word) => new Option(word, word, false, word === options[name])));
  select.onchange = () => { options[name] = select.value; };
  return field(name, select);
}

export function useTool(id) {
  state.tool = id;
  showTools();
}

export function useClass(index) {
  state.current = index;
  showClasses();
}

export function showClasses() {
  const list = [...state.drawing.classes.map((name, index) => [name, index]), ["none", null]];
  $("classes").replaceChildren(...list.map(([name, index]) => {
    const made = button(undefined, index === null ? "No class (0)" : `Class ${name} (${index + 1})`, () => useClass(index));
    const dot = element("span", undefined, "dot");
    dot.style.background = css(index);
    made.append(dot, name);
    return radio(made, state.current === index);
  }));
}

function addClass() {
  const { classes } = state.drawing;
  const name = String.fromCharCode(65 + (classes.length % 26)) + (classes.length >= 26 ? Math.floor(classes.length / 26) : "");
  draw({ ...state.drawing, classes: [...classes, name] });
  useClass(state.drawing.classes.length - 1);
}

export function showAxes() {
  const { names } = state.drawing;
  for (const [position, id] of ["axis-x", "axis-y"].entries()) {
    const select = $(id);
    select.replaceChildren(...names.map((name, index) => new Option(name, index, false, state.axes[position] === index)));
    select.onchange = () => {
      state.axes = state.axes.with(position, Number(select.value));
      fitView();
      changed("view");
    };
  }
  $("visible-only").checked = state.visibleOnly;
  $("visible-row").hidden = names.length < 3 || state.task === "views";
  showSplit();
  $("remove-dimension").disabled = names.length < 3;
}

// Where the columns part into two views.
function showSplit() {
  const { names } = state.drawing;
  const split = splitAt();
  $("views-row").hidden = state.task !== "views";
  Object.assign($("views-split"), { max: names.length - 1, value: split, disabled: names.length < 3 });
  $("views-value").textContent = `${names.slice(0, split).join(", ")} │ ${names.slice(split).join(", ")}`;
}

// A new coordinate is noise: what a method makes of it says how it bears useless columns.
function addDimension() {
  const { names, points } = state.drawing;
  const noise = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());
  const taken = new Set(names);
  let number = names.length;
  while (taken.has(`x${number}`)) number++;
  draw({ ...state.drawing, names: [...names, `x${number}`], points: points.map((p) => ({ ...p, c: [...p.c, Number(noise().toPrecision(6))] })) });
}

function removeDimension() {
  const { names, points } = state.drawing;
  draw({ ...state.drawing, names: names.slice(0, -1), points: points.map((p) => ({ ...p, c: p.c.slice(0, -1) })) });
  fitView();
  changed("view");
}

/** The layers that say something for the task, and how far the bands of a curve reach. */
export function showLayers() {
  const list = Object.entries(LAYERS).filter(([id]) => ONLY[id]?.includes(state.task) ?? true);
  $("layers").replaceChildren(...list.map(([id, words]) => {
    const label = element("label");
    const input = element("input");
    Object.assign(input, { type: "checkbox", checked: state.layers[id], name: `layer-${id}` });
    input.onchange = () => {
      state.layers[id] = input.checked;
      paint();
      // A descent has to be asked for.
      if (id === "descent") changed("parameters");
    };
    label.append(input, words);
    return label;
  }), ...(state.task === "regression" ? [bandChoice()] : []));
}

function bandChoice() {
  const label = element("label", undefined, "row");
  const select = element("select");
  select.name = "bands";
  select.append(...["none", "1 σ", "1, 2 σ", "1, 2, 3 σ"].map((words, bands) => new Option(words, bands, false, state.bands === bands)));
  select.onchange = () => {
    state.bands = Number(select.value);
    paint();
  };
  label.append("bands", select);
  return label;
}

export function showCounts() {
  const { points } = state.drawing;
  $("count").textContent = `${points.length} points`;
  $("hint").hidden = points.length > 0;
  $("undo").disabled = !canUndo();
  $("redo").disabled = !canRedo();
  $("share").value = state.share;
  $("share-value").textContent = `${state.share} %`;
}

export function wireToolbox() {
  $("add-class").onclick = addClass;
  $("add-dimension").onclick = addDimension;
  $("remove-dimension").onclick = removeDimension;
  $("views-split").oninput = () => {
    state.split = Number($("views-split").value);
    showSplit();
    changed("parameters");
  };
  $("visible-only").onchange = () => {
    state.visibleOnly = $("visible-only").checked;
    changed("method");
  };
  $("share").oninput = () => {
    state.share = Number($("share").value);
    changed("drawing");
  };
  $("clear").onclick = () => {
    $("lesson").hidden = true;
    draw({ ...state.drawing, points: [] });
  };
}
