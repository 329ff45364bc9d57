// The view of Willshaw's net: a crossbar of switches that pairs of patterns close, and what a cue finds.

import { cellGrid } from "./cellgrid.js";
import { frame, line } from "./dynamicsview.js";
import { css, themed } from "./palette.js";
import { element, sharp } from "./parts.js";
import { random } from "./scenes/points.js";

/** Pairs that are drawn at most. */
const MOST = 60;

// Some different places out of all, by chance.
function chosen(uniform, count, all) {
  const places = Array.from({ length: all }, (_, place) => place);
  for (let at = 0; at < count; at++) {
    const other = at + Math.floor(uniform() * (all - at));
    [places[at], places[other]] = [places[other], places[at]];
  }
  return places.slice(0, count).sort((a, b) => a - b);
}

/** The pairs that are stored: for each the active inputs and the active outputs. */
export function pairsOf({ side, active, pairs, seed }) {
  const { uniform } = random(seed);
  const all = Array.from({ length: MOST }, () => [chosen(uniform, active, side), chosen(uniform, active, side)]);
  return all.slice(0, pairs);
}

// The cue: what was switched by hand, or the input of a stored pair.
const cueOf = (values) => values.cue ?? pairsOf(values)[values.which - 1]?.[0] ?? [];

function question(values) {
  const cue = cueOf(values).filter((place) => place < values.side);
  return ["/api/memory", { view: "willshaw", n_inputs: values.side, n_outputs: values.side, pairs: pairsOf(values), cue, threshold: values.threshold }];
}

function extra(lab) {
  const values = lab.values.willshaw;
  const cells = Array.from({ length: values.side }, (_, place) => cueOf(values).includes(place));
  const changed = (now) => {
    values.cue = now.flatMap((on, place) => (on ? [place] : []));
    lab.refresh();
  };
  return [element("span", "the cue, switched by hand"), cellGrid({ name: "The cue", wide: Math.min(12, values.side), cells, changed })];
}

const BAND = 26;

// Rows are outputs, columns are inputs; the cue lies on top, what fires on the right.
function paintCrossbar(canvas, { joined, output, sums, asked }) {
  const [context, width, height] = sharp(canvas);
  const side = asked.n_inputs;
  const cell = Math.min((width - 2 * BAND - 150) / side, (height - 2 * BAND) / side);
  const [left, top] = [(width - 150 - side * cell) / 2, BAND + 8];
  const newest = asked.pairs.at(-1);
  joined.forEach((inputs, row) => inputs.forEach((column) => {
    const fresh = newest && newest[0].includes(column) && newest[1].includes(row);
    context.fillStyle = css(fresh ? 1 : 0, asked.cue.includes(column) ? 1 : 0.6);
    context.fillRect(left + column * cell, top + row * cell, cell, cell);
  }));
  context.strokeStyle = themed("line");
  context.lineWidth = 1;
  for (let place = 0; place <= side; place++) {
    line(context, [[left + place * cell, top], [left + place * cell, top + side * cell]]);
    line(context, [[left, top + place * cell], [left + side * cell, top + place * cell]]);
  }
  context.fillStyle = css(2);
  for (const column of asked.cue) context.fillRect(left + column * cell + 1, top - 14, cell - 2, 10);
  for (const row of output) context.fillRect(left + side * cell + 5, top + row * cell + 1, 10, cell - 2);
  context.fillStyle = themed("faint");
  context.textAlign = "left";
  if (cell >= 9) sums.forEach((sum, row) => context.fillText(String(sum), left + side * cell + 20, top + (row + 0.5) * cell + 4));
  context.fillText("cue", left - 26, top - 5);
  context.fillText("fires, and sums", left + side * cell + 40, top + 8);
  context.fillStyle = css(1);
  context.fillText("set by the newest pair", left + side * cell + 40, top + 26);
}

// How full the crossbar is, beside what is expected and the half up to which it is of use.
function paintFill(canvas, { fill, expected, asked }) {
  const [context, width, height] = sharp(canvas);
  const most = Math.max(20, asked.pairs.length, Math.ceil((expected?.capacity ?? 10) * 1.5));
  const place = frame(context, width, height, [0, most], [0, 1.12], "pairs", "share of weights set");
  const chance = expected ? 1 - 2 ** (-1 / expected.capacity) : 0;
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  line(context, Array.from({ length: 101 }, (_, step) => place([(most * step) / 100, 1 - (1 - chance) ** ((most * step) / 100)])));
  context.strokeStyle = themed("bad");
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  line(context, [place([0, 0.5]), place([most, 0.5])]);
  context.setLineDash([]);
  const [x, y] = place([asked.pairs.length, fill]);
  context.fillStyle = fill >= 0.5 ? themed("bad") : css(2);
  context.beginPath();
  context.arc(x, y, 6, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = themed("ink");
  context.textAlign = x > width - 120 ? "right" : "left";
  context.fillText(`${(100 * fill).toFixed(1)} % full`, x + (x > width - 120 ? -10 : 10), y + 4);
  context.textAlign = "left";
}

function words({ fill, full, expected, output, faultless, asked }, values) {
  if (!asked.pairs.length) return "Nothing is stored: no weight is set and nothing fires.";
  const wanted = values.cue ? null : asked.pairs[values.which - 1]?.[1];
  const wrong = wanted && output.filter((place) => !wanted.includes(place)).length;
  const missing = wanted && wanted.filter((place) => !output.includes(place)).length;
  const found = wanted ? (wrong || missing ? `For pair ${values.which} ${wrong} outputs fire wrongly and ${missing} are missing.` : `Pair ${values.which} is recalled without a fault.`) : `${output.length} outputs fire.`;
  const beside = expected ? ` (expected ${(100 * expected.fill).toFixed(1)} %, half after ${expected.capacity.toFixed(0)} pairs)` : "";
  return `${asked.pairs.length} pairs set ${(100 * fill).toFixed(1)} % of the weights${beside}. ${found} ${faultless} of ${asked.pairs.length} pairs come back without a fault.${full ? " More than half are set: the net is full." : ""}`;
}

/** The view of Willshaw's net. */
export const willshawView = {
  called: "Willshaw’s crossbar",
  summary: "Storing a pair closes every switch between its active inputs and outputs; a switch that is closed stays so. A cue fires the outputs that enough of its active inputs reach.",
  controls: [
    { name: "side", called: "inputs", value: 24, low: 8, high: 48, whole: true },
    { name: "active", called: "active bits", value: 3, low: 1, high: 6, whole: true },
    { name: "pairs", called: "pairs stored", value: 8, low: 0, high: MOST, whole: true },
    { name: "which", called: "cue is pair", value: 1, low: 1, high: MOST, whole: true },
    { name: "threshold", called: "fires from", value: "active-bits", options: [["active-bits", "all active bits"], ["one", "one shared bit"]] },
    { name: "seed", called: "draw", value: 2, low: 1, high: 20, whole: true },
    { name: "cue", called: "", value: null, when: () => false },
  ],
  buttons: [
    ["store a pair", "One more pair of random patterns", (lab) => lab.set({ pairs: Math.min(MOST, lab.values.willshaw.pairs + 1) })],
    ["forget all", "An empty crossbar", (lab) => lab.set({ pairs: 0, cue: null })],
    ["recall the pair", "The cue is the input of the pair again", (lab) => lab.set({ cue: null })],
  ],
  extra,
  panes: [
    { label: "The crossbar: columns are inputs, rows are outputs", tall: 305, paint: paintCrossbar },
    { label: "How full it is; the curve is what is expected, the dashed line the half", tall: 140, paint: paintFill },
  ],
  question,
  words,
};
