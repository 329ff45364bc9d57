// A filter slides over a picture: what it answers at every place, and what pooling keeps of that.

import { job } from "./api.js";
import { themed } from "./palette.js";
import { $, element, neat, sharp } from "./parts.js";
import { shown } from "./picture.js";
import { heatOf, inkOf, paintLarge, pictureOf } from "./thumbnails.js";

/** Filters that are worth knowing. */
const FILTERS = {
  "falling diagonal": [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]],
  "upright edge": [[-1, 0, 1], [-1, 0, 1], [-1, 0, 1]],
  "level edge": [[-1, -1, -1], [0, 0, 0], [1, 1, 1]],
  "any edge": [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]],
  blur: [[0.11, 0.11, 0.11], [0.11, 0.11, 0.11], [0.11, 0.11, 0.11]],
};

let source = () => null;
let asked = 0;
// What the server said last, for tests and for other themes.
export const filtered = { answer: null };

/** Shows the filter on a picture of the set. */
export function showFilter(set) {
  $("image-filter").hidden = !set.pictures.length;
  if (!set.pictures.length) return;
  $("filter-which").max = set.pictures.length - 1;
  const learned = learnedFilters();
  const chosen = $("filter-kind").value;
  const names = [...Object.keys(FILTERS), ...learned.map((_, index) => `learned ${index + 1}`), "by hand"];
  $("filter-kind").replaceChildren(...names.map((name) => new Option(name, name, false, name === chosen)));
  if (!$("filter-cells").children.length) fillCells(FILTERS["falling diagonal"]);
  apply();
}

/** The filters that the model on the page has learned, one channel of each. */
export function learnedFilters() {
  const value = shown.answer?.attributes.find(({ name }) => name === "filter_images")?.value;
  return Array.isArray(value) ? value.map((filter) => filter.map((line) => line.map((cell) => cell[0]))) : [];
}

function fillCells(filter) {
  $("filter-cells").style.gridTemplateColumns = `repeat(${filter[0].length}, 4em)`;
  $("filter-cells").replaceChildren(...filter.flatMap((line, row) => line.map((value, column) => {
    const made = element("input");
    Object.assign(made, { type: "number", step: "any", value: Number(value.toPrecision(3)) });
    made.setAttribute("aria-label", `Filter, row ${row + 1}, column ${column + 1}`);
    made.dataset.row = String(row);
    made.oninput = () => {
      $("filter-kind").value = "by hand";
      apply();
    };
    return made;
  })));
}

function filterNow() {
  const lines = [];
  for (const cell of $("filter-cells").children) (lines[Number(cell.dataset.row)] ??= []).push(Number(cell.value) || 0);
  return lines;
}

// One channel as lines of pixels: as bright as the eye sees it.
function linesOf({ row }, { wide, tall, channels }) {
  const grey = (pixel) => (channels === 1 ? row[pixel] : 0.299 * row[3 * pixel] + 0.587 * row[3 * pixel + 1] + 0.114 * row[3 * pixel + 2]);
  return Array.from({ length: tall }, (_, y) => Array.from({ length: wide }, (_, x) => grey(y * wide + x)));
}

async function apply() {
  const set = source();
  const picture = set?.pictures[Number($("filter-which").value)];
  if (!picture) return;
  const mine = ++asked;
  const filter = filterNow();
  const number = (id) => Math.max(1, Math.round(Number($(id).value) || 1));
  try {
    const answer = await job("/api/filter", { picture: linesOf(picture, set.size), filter, stride: number("filter-stride"), flipped: $("filter-flipped").checked, window: number("pool-window"), window_stride: number("pool-stride") }, undefined, () => {});
    if (mine !== asked) return;
    filtered.answer = answer;
    paint(picture, set, filter, answer);
    const places = answer.places.slice(0, 6).map(([row, column]) => `(${row}, ${column})`).join(", ");
    const { map, pooled } = answer;
    const [row, column] = answer.places[0];
    $("filter-words").textContent = `${map.length}×${map[0].length} responses; the largest, ${neat(map[row][column])}, at ${places}${answer.places.length > 6 ? ", …" : ""}. Pooling keeps ${pooled.length}×${pooled[0].length}.`;
    $("filter-words").classList.remove("bad");
  } catch (error) {
    if (mine !== asked) return;
    $("filter-words").textContent = error.message;
    $("filter-words").classList.add("bad");
  }
}

function paint(picture, set, filter, { map, pooled }) {
  const [context, width, height] = sharp($("filter-canvas"));
  const small = Math.min(70, height / 3);
  const side = Math.min((width - small - 60) / 3, height - 24);
  const parts = [
    ["picture", pictureOf(picture.row, set.size, [0, 1], inkOf(picture.label)), side],
    ["filter", heatOf(filter.flat(), { wide: filter[0].length, tall: filter.length, channels: 1 }), small],
    ["responses", heatOf(map.flat(), { wide: map[0].length, tall: map.length, channels: 1 }), side],
    ["pooled", heatOf(pooled.flat(), { wide: pooled[0].length, tall: pooled.length, channels: 1 }), side],
  ];
  let x = 10;
  for (const [words, image, long] of parts) {
    const y = 18 + (side - long) / 2;
    context.fillStyle = themed("paper");
    context.fillRect(x, y, long, long);
    paintLarge(context, image, x, y, long);
    context.strokeStyle = themed("line");
    context.strokeRect(x, y, long, long);
    context.fillStyle = themed("faint");
    context.fillText(words, x, y - 5);
    x += long + 14;
  }
}

export function wireFilter(set) {
  source = set;
  $("filter-kind").onchange = () => {
    const name = $("filter-kind").value;
    const filter = FILTERS[name] ?? learnedFilters()[Number(/^learned (\d+)$/.exec(name)?.[1]) - 1];
    if (filter) fillCells(filter);
    apply();
  };
  for (const id of ["filter-which", "filter-stride", "filter-flipped", "pool-window", "pool-stride"]) $(id).oninput = apply;
}
