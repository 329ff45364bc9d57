// A laboratory: a dialog with several views, each of numbers to set, pictures, and words.

import { newestQuestion } from "./newest.js";
import { $, button, element, neat } from "./parts.js";
import { save } from "./share.js";
import { guarded } from "./say.js";

/**
 * @typedef {{name: string, called: string, value: any, low?: number, high?: number, whole?: boolean,
 *   options?: [string, string][], when?: (values: Object) => boolean}} Control
 *   a number between low and high, a choice among options, or, where the value is true or false, a switch
 * @typedef {{label: string, tall: number, rows?: number, paint: Function, click?: Function}} Pane
 *   a picture: `paint(canvas, answer, values)` paints it, `click(place, lab)` is told of places in pixels
 * @typedef {{called: string, summary: string, controls: Control[], columns?: number, panes: Pane[],
 *   presets?: Object<string, Object>, buttons?: [string, string, Function][], extra?: Function,
 *   question?: (values: Object) => [string, Object]|null, words: Function}} View
 *   `extra(lab)` makes further elements under the numbers; `question` is what the server is asked
 */

/** Makes the dialog of a laboratory and gives what its button opens and its tests read. */
export function laboratory(id, title, views) {
  const lab = {
    id,
    views,
    view: Object.keys(views)[0],
    values: Object.fromEntries(Object.entries(views).map(([name, { controls }]) => [name, Object.fromEntries(controls.map((control) => [control.name, control.value]))])),
    answer: null,
    asking: newestQuestion(),
  };
  lab.now = () => (lab.asking.busy() ? null : lab.answer);
  lab.set = (numbers) => {
    Object.assign(lab.values[lab.view], numbers);
    show(lab);
  };
  lab.refresh = () => ask(lab);
  lab.repaint = () => paint(lab);
  build(lab, title);
  $(`open-${id}`).onclick = guarded(() => {
    $(id).showModal();
    show(lab);
  });
  return lab;
}

function build(lab, title) {
  const dialog = element("dialog", undefined, "lab");
  dialog.id = lab.id;
  const choice = element("select");
  choice.id = `${lab.id}-view`;
  choice.setAttribute("aria-label", "What to look at");
  choice.append(...Object.entries(lab.views).map(([name, { called }]) => new Option(called, name)));
  choice.onchange = () => {
    lab.view = choice.value;
    show(lab);
  };
  const head = element("div", undefined, "row wrap");
  head.append(choice, part(lab, "span", "presets", "row wrap"));
  const stage = element("div", undefined, "lab-stage");
  stage.append(part(lab, "div", "form", "lab-form"), part(lab, "div", "panes", "lab-panes"));
  const words = part(lab, "p", "words", "lab-words");
  words.setAttribute("role", "status");
  const close = element("form", undefined, "row");
  close.method = "dialog";
  const end = element("button", "Close");
  close.append(end, button("Save picture", "The pictures as one PNG", guarded(() => savePanes(lab))));
  dialog.append(element("h2", title), head, part(lab, "p", "summary", "quiet"), stage, words, close);
  dialog.onclose = () => lab.asking.stop();
  document.body.append(dialog);
}

function part(lab, tag, name, className) {
  const made = element(tag, undefined, className);
  made.id = `${lab.id}-${name}`;
  return made;
}

// The whole view anew: what it is about, its numbers, its pictures.
function show(lab) {
  const view = lab.views[lab.view];
  lab.answer = null;
  $(`${lab.id}-summary`).textContent = view.summary;
  $(`${lab.id}-presets`).replaceChildren(
    ...Object.entries(view.presets ?? {}).map(([name, numbers]) => button(name, undefined, () => lab.set(numbers))),
    ...(view.buttons ?? []).map(([name, help, work]) => button(name, help, () => work(lab))),
  );
  showForm(lab);
  const panes = $(`${lab.id}-panes`);
  panes.style.gridTemplateColumns = `repeat(${view.columns ?? 1}, minmax(0, 1fr))`;
  panes.replaceChildren(...view.panes.map((pane, index) => canvasOf(lab, pane, index)));
  ask(lab);
}

function showForm(lab) {
  const view = lab.views[lab.view];
  const wanted = view.controls.filter(({ when }) => !when || when(lab.values[lab.view]));
  $(`${lab.id}-form`).replaceChildren(...wanted.map((control) => field(lab, control)), part(lab, "div", "extra"));
  showExtra(lab);
}

// What a view has beside its numbers follows them.
function showExtra(lab) {
  $(`${lab.id}-extra`).replaceChildren(...(lab.views[lab.view].extra?.(lab) ?? []));
}

function canvasOf(lab, pane, index) {
  const figure = element("figure");
  figure.style.gridRow = `span ${pane.rows ?? 1}`;
  const canvas = element("canvas");
  canvas.id = `${lab.id}-canvas-${index}`;
  canvas.style.height = `${pane.tall}px`;
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", pane.label);
  if (pane.click) canvas.onclick = (event) => pane.click([event.offsetX, event.offsetY], lab, canvas);
  figure.append(element("figcaption", pane.label), canvas);
  return figure;
}

function field(lab, control) {
  if (control.options) return choiceOf(lab, control);
  return typeof control.value === "boolean" ? switchOf(lab, control) : numberOf(lab, control);
}

function labelled(text, ...inputs) {
  const label = element("label", undefined, "row");
  label.append(element("span", text), ...inputs);
  return label;
}

function choiceOf(lab, { name, called, options }) {
  const select = element("select");
  select.name = `${lab.id}-${name}`;
  select.append(...options.map(([value, words]) => new Option(words, value)));
  select.value = lab.values[lab.view][name];
  select.onchange = () => take(lab, name, select.value);
  return labelled(called, select);
}

function switchOf(lab, { name, called }) {
  const input = element("input");
  Object.assign(input, { type: "checkbox", name: `${lab.id}-${name}`, checked: lab.values[lab.view][name] });
  input.onchange = () => take(lab, name, input.checked);
  const label = element("label", undefined, "row");
  label.append(input, element("span", called, "wide"));
  return label;
}

// What is chosen or switched may need other numbers.
function take(lab, name, value) {
  lab.values[lab.view][name] = value;
  const view = lab.views[lab.view];
  if (view.controls.some(({ when }) => when)) showForm(lab);
  else showExtra(lab);
  ask(lab);
  document.querySelector(`#${lab.id}-form [name="${lab.id}-${name}"]`)?.focus();
}

function numberOf(lab, { name, called, low, high, whole }) {
  const [slider, exact] = [element("input"), element("input")];
  const now = lab.values[lab.view][name];
  Object.assign(slider, { type: "range", min: low, max: high, step: whole ? 1 : (high - low) / 200, value: now });
  Object.assign(exact, { type: "number", min: low, max: high, step: whole ? 1 : "any", value: Number(neat(now)), name: `${lab.id}-${name}` });
  slider.setAttribute("aria-label", called);
  const listen = (input, other) => () => {
    const number = Number(input.value);
    // What is being typed counts once it is within the limits; until then the field is marked.
    if (input.value === "" || !input.checkValidity()) return;
    lab.values[lab.view][name] = number;
    other.value = number;
    showExtra(lab);
    ask(lab);
  };
  slider.oninput = listen(slider, exact);
  exact.oninput = listen(exact, slider);
  return labelled(called, slider, exact);
}

// The newest question wins; a view that needs no server is painted at once.
async function ask(lab) {
  const view = lab.views[lab.view];
  const values = { ...lab.values[lab.view] };
  const question = view.question?.(values);
  if (!question) {
    lab.asking.stop();
    lab.answer = { view: lab.view, values };
    paint(lab);
    return;
  }
  try {
    const found = await lab.asking.ask(...question);
    if (!found) return;
    lab.answer = { ...(Array.isArray(found) ? { list: found } : found), view: lab.view, values, asked: question[1] };
    paint(lab);
  } catch (error) {
    tell(lab, error.message, true);
  }
}

function paint(lab) {
  const view = lab.views[lab.view];
  if (lab.answer?.view !== lab.view || !$(lab.id).open) return;
  view.panes.forEach((pane, index) => pane.paint($(`${lab.id}-canvas-${index}`), lab.answer, lab.values[lab.view]));
  tell(lab, view.words(lab.answer, lab.values[lab.view], lab), false);
}

function tell(lab, words, bad) {
  $(`${lab.id}-words`).textContent = words.replace(/-(?=\d)/g, "−");
  $(`${lab.id}-words`).classList.toggle("bad", bad);
}

// All pictures of the view one under the other.
async function savePanes(lab) {
  const canvases = lab.views[lab.view].panes.map((_, index) => $(`${lab.id}-canvas-${index}`));
  const wide = Math.max(...canvases.map(({ width }) => width));
  const sheet = new OffscreenCanvas(wide, canvases.reduce((sum, { height }) => sum + height, 0));
  const context = sheet.getContext("2d");
  context.fillStyle = getComputedStyle($(lab.id)).backgroundColor;
  context.fillRect(0, 0, sheet.width, sheet.height);
  let top = 0;
  for (const canvas of canvases) {
    context.drawImage(canvas, 0, top);
    top += canvas.height;
  }
  save(`${lab.id}-${lab.view}.png`, await sheet.convertToBlob({ type: "image/png" }));
}
