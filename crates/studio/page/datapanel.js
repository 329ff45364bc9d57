// Data from elsewhere: generators, built-in sets, tables that are dropped or pasted.

import { ask } from "./api.js";
import { drawingOf } from "./csv.js";
import { fillForm } from "./form.js";
import { $, button } from "./parts.js";
import { fitView } from "./plane.js";
import { guarded } from "./say.js";
import { changed, draw, state } from "./state.js";

/** Takes rows of the server over as a drawing. */
function adopt({ rows, labels, classes, values, names, lengths }) {
  const wide = rows[0]?.length >= 2;
  // A measured target, or the position of a lone column, is one more coordinate.
  const extra = values ?? (wide ? null : rows.map((_, index) => index));
  const strokes = lengths?.flatMap((length, stroke) => Array(length).fill(stroke));
  const points = rows.map((row, index) => ({ c: extra ? [...row, extra[index]] : row, k: labels?.[index] ?? 0, s: strokes?.[index] ?? null }));
  state.axes = values ? [0, names.length] : [0, 1];
  take({ names: extra ? [...names, values ? "target" : "position"] : names, classes: classes.length > 1 ? classes : ["A", "B"], points });
}

/** Replaces the drawing, and with it the lesson and the view. */
export function take(drawing) {
  state.step = null;
  $("lesson").hidden = true;
  draw(drawing);
  fitView();
  changed("view");
}

const pictureListeners = [];

/** Calls back with picture files that are dropped. */
export function onPictures(listener) {
  pictureListeners.push(listener);
}

/** Takes a table as text. */
export function takeText(text) {
  const drawing = drawingOf(text);
  state.axes = [0, 1];
  take(drawing);
}

/** Fills the dialog. */
export async function fillData() {
  const generators = await ask("/api/generators");
  const usable = generators.filter((g) => g.info.task !== "recommendation");
  const select = $("generator");
  select.replaceChildren(...usable.map((g, index) => new Option(g.info.name, index)));
  let values = {};
  select.onchange = () => {
    const chosen = usable[select.value];
    values = {};
    $("generator-summary").textContent = chosen.info.description;
    fillForm($("generator-form"), chosen.schema, values, (name, value) => { values[name] = value; });
  };
  select.onchange();
  $("generate").onclick = guarded(async () => {
    adopt(await ask("/api/generate", { id: usable[select.value].info.id, parameters: values, seed: state.seed++ }));
    $("data").close();
  });
  const sets = await ask("/api/datasets");
  $("datasets").replaceChildren(...sets.filter((set) => set.task !== "recommendation").map((set) => button(set.name, set.description, guarded(async () => {
    adopt(await ask(`/api/datasets/${set.id}`));
    $("data").close();
  }))));
}

export function wireData() {
  $("open-data").onclick = () => $("data").showModal();
  $("file").onchange = guarded(async (event) => {
    takeText(await event.target.files[0].text());
    $("data").close();
  });
  $("use-paste").onclick = guarded(async () => {
    $("data").close();
    takeText($("paste").value);
  });
  // A table in the clipboard, unless it is pasted into a field.
  document.addEventListener("paste", guarded(async (event) => {
    if (event.target.matches?.("input, textarea, select") || document.querySelector("dialog[open]")) return;
    const text = event.clipboardData.getData("text");
    if (text.trim()) takeText(text);
  }));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", guarded(async (event) => {
    event.preventDefault();
    const [dropped] = event.dataTransfer.files;
    const pictures = [...event.dataTransfer.files].filter(({ type }) => type.startsWith("image/"));
    if (pictures.length) for (const listener of pictureListeners) await listener(pictures);
    else if (dropped) takeText(await dropped.text());
  }));
}
