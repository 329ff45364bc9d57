// The view of Hopfield's network: patterns that one edits, noise, what is recalled, and the energy on the way.

import { cellGrid } from "./cellgrid.js";
import { frame, line } from "./dynamicsview.js";
import { css, themed } from "./palette.js";
import { button, element, range, sharp } from "./parts.js";
import { random } from "./scenes/points.js";

const SIDE = 8;

const MOST = 8;

const pattern = (rows) => [...rows.join("")].map((sign) => sign === "#");

/** Four pictures to begin with. */
const PICTURES = [
  pattern(["###..###", "###..###", "........", "........", "........", "........", "###..###", "###..###"]),
  pattern(["....####", "....####", "....####", "....####", "####....", "####....", "####....", "####...."]),
  pattern(["#.#.#.#.", "#.#.#.#.", "#.#.#.#.", "#.#.#.#.", "#.#.#.#.", "#.#.#.#.", "#.#.#.#.", "#.#.#.#."]),
  pattern(["...##...", "...##...", "...##...", "########", "########", "...##...", "...##...", "...##..."]),
];

const signs = (cells) => cells.map((on) => (on ? 1 : -1));

/** The cue: a stored pattern of which a share of the cells is turned over, by chance. */
export function cueOf({ patterns, which, noise, seed }) {
  const { uniform } = random(seed);
  const cells = patterns[Math.min(which, patterns.length) - 1];
  const order = cells.map((_, place) => [uniform(), place]).sort((a, b) => a[0] - b[0]).map(([, place]) => place);
  const turned = new Set(order.slice(0, Math.round((noise / 100) * cells.length)));
  return cells.map((on, place) => (turned.has(place) ? !on : on));
}

function question(values) {
  return ["/api/memory", { view: "hopfield", patterns: values.patterns.map(signs), rule: values.rule, synchronous: values.mode === "synchronous", cue: signs(cueOf(values)) }];
}

// The pattern that is edited, and buttons for the list of patterns.
function extra(lab) {
  const values = lab.values.hopfield;
  const which = Math.min(values.which, values.patterns.length) - 1;
  const changed = (cells) => {
    values.patterns = values.patterns.map((one, index) => (index === which ? cells : one));
    lab.refresh();
  };
  const add = button("add", "One more pattern, empty", () => lab.set({ patterns: [...values.patterns, Array(SIDE * SIDE).fill(false)], which: values.patterns.length + 1 }));
  const remove = button("remove", "Without the pattern that is edited", () => lab.set({ patterns: values.patterns.filter((_, index) => index !== which), which: Math.max(1, which) }));
  [add.disabled, remove.disabled] = [values.patterns.length >= MOST, values.patterns.length < 2];
  const row = element("div", undefined, "row");
  row.append(element("span", `pattern ${which + 1} of ${values.patterns.length}`, "wide"), add, remove);
  return [row, cellGrid({ name: "The pattern", wide: SIDE, cells: values.patterns[which], changed })];
}

function paintPicture(context, cells, [left, top], size, ink) {
  const cell = size / SIDE;
  cells.forEach((on, place) => {
    context.fillStyle = on ? ink : themed("canvas");
    context.fillRect(left + (place % SIDE) * cell, top + Math.floor(place / SIDE) * cell, cell - 0.5, cell - 0.5);
  });
  context.strokeStyle = themed("line");
  context.lineWidth = 1;
  context.strokeRect(left, top, size, size);
}

// What is stored, each with the overlap of the end with it.
function paintStored(canvas, { overlaps, pattern: found, kind }, { patterns }) {
  const [context, width] = sharp(canvas);
  const size = Math.min(64, (width - 20) / patterns.length - 12);
  context.textAlign = "center";
  patterns.forEach((cells, index) => {
    const left = 12 + index * (size + 14);
    paintPicture(context, cells, [left, 8], size, found === index ? css(kind === "stored" ? 2 : 4) : themed("ink"));
    context.fillStyle = themed("faint");
    context.fillText(overlaps[index].toFixed(2).replace("-", "−"), left + size / 2, size + 24);
  });
  context.textAlign = "left";
}

function paintRecall(canvas, { state, kind, end }, values) {
  const [context, width, height] = sharp(canvas);
  const size = Math.min(height - 30, (width - 90) / 2);
  const left = (width - 2 * size - 60) / 2;
  paintPicture(context, cueOf(values), [left, 22], size, themed("ink"));
  paintPicture(context, state.map((sign) => sign > 0), [left + size + 60, 22], size, kind === "stored" ? css(2) : css(4));
  context.fillStyle = themed("faint");
  context.textAlign = "center";
  context.fillText("cue", left + size / 2, 14);
  context.font = "20px system-ui, sans-serif";
  context.fillText("→", left + size + 30, 22 + size / 2);
  context.font = "600 12px system-ui, sans-serif";
  context.fillStyle = kind === "stored" ? themed("ink") : themed("bad");
  context.fillText(end === "cycle" ? "to and fro" : kind === "spurious" ? "⚑ spurious" : kind === "inverse" ? "⚑ inverse" : "stored", left + 1.5 * size + 60, 14);
  context.textAlign = "left";
}

function paintEnergy(canvas, { energies }, { mode }) {
  const [context, width, height] = sharp(canvas);
  const [low, high] = range(energies);
  const room = 0.1 * (high - low || 1);
  const place = frame(context, width, height, [0, Math.max(1, energies.length - 1)], [low - room, high + room], mode === "synchronous" ? "sweeps" : "changes of a unit", "energy");
  context.strokeStyle = context.fillStyle = css(0);
  context.lineWidth = 2;
  line(context, energies.map((value, step) => place([step, value])));
  energies.forEach((value, step) => {
    context.beginPath();
    context.arc(...place([step, value]), 3, 0, 2 * Math.PI);
    context.fill();
  });
}

function words({ kind, pattern: found, end, sweeps, energies, load }, { patterns }) {
  const said = {
    stored: `It is pattern ${found + 1}.`,
    inverse: `It is the inverse of pattern ${found + 1}: that is stable whenever the pattern is.`,
    spurious: "It is spurious: stable, but neither stored nor the inverse of what is.",
  }[kind];
  const ending = end === "cycle" ? "It goes to and fro between two states: all units change at once." : end === "settled" ? `It settled after ${sweeps} sweeps.` : "The sweeps ran out.";
  return `${end === "cycle" ? ending : `${ending} ${said}`} Energy ${energies[0].toFixed(2)} → ${energies.at(-1).toFixed(2)}. `
    + `${patterns.length} patterns in ${SIDE * SIDE} units: load ${load.toFixed(3)}, of about 0.138 for random patterns.`;
}

/** The view of Hopfield's network. */
export const hopfieldView = {
  called: "Hopfield’s network",
  summary: "Patterns lie at the bottom of an energy. From a noisy one, units take the sign of their weighted sums until nothing changes; one at a time, the energy never rises.",
  controls: [
    { name: "which", called: "pattern", value: 1, low: 1, high: MOST, whole: true },
    { name: "noise", called: "noise %", value: 20, low: 0, high: 100, whole: true },
    { name: "seed", called: "draw", value: 1, low: 1, high: 40, whole: true },
    { name: "rule", called: "stored by", value: "hebbian", options: [["hebbian", "Hebb’s rule"], ["pseudo-inverse", "pseudo-inverse"]] },
    { name: "mode", called: "updates", value: "asynchronous", options: [["asynchronous", "one at a time"], ["synchronous", "all at once"]] },
    { name: "patterns", called: "", value: PICTURES, when: () => false },
  ],
  presets: { "a little noise": { noise: 20, seed: 1 }, "pure noise": { noise: 50, seed: 6 }, "turned over": { noise: 100 } },
  extra,
  panes: [
    { label: "Stored, with the overlap of what is recalled", tall: 100, paint: paintStored },
    { label: "The cue and what is recalled from it", tall: 180, paint: paintRecall },
    { label: "Energy on the way", tall: 135, paint: paintEnergy },
  ],
  question,
  words,
};
