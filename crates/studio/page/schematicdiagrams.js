// Drawing the larger things of a schematic: networks, gates, tables, bars, bit strings, axes, planes.

import { themed } from "./palette.js";
import { circle, sizeOf, way, whole } from "./schematicdraw.js";
import { mark, paintOf, words } from "./schematicsheet.js";

const LINE = 26;

const subscript = (number) => [...String(number)].map((digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]).join("");

/**
 * Whether what one end of a triple says reaches the other: a chain and a common cause let it through
 * unless the middle is known, a collider only where the middle or something that follows from it is.
 */
export const isOpen = (gate, observed, descendant = false) => (gate === "collider" ? observed || descendant : !observed);

/** @type {typeof import("./schematicdraw.js").SIMPLE} */
export const DIAGRAMS = {
  network(sheet, { line, takes: [layers], options: { at: [x, y], size, letters = [], biases, as } }) {
    const [wide, tall] = sizeOf(size);
    if (layers.length < 2 || layers.length > 8) throw new Error(`a network has two to eight layers, and this one ${layers.length}`);
    layers.forEach((units) => whole(units, "the number of units of a layer", 1, 12));
    const step = tall / Math.max(...layers.map((units, layer) => units + (biases && layer + 1 < layers.length ? 1 : 0)));
    const radius = Math.min(18, step * 0.38, wide / layers.length / 3);
    const columns = layers.map((units, layer) => column(units, x - wide / 2 + (wide * layer) / (layers.length - 1), y, step, radius, biases && layer + 1 < layers.length));
    let inside = "";
    for (let layer = 0; layer + 1 < layers.length; layer++) {
      for (const from of columns[layer]) for (const to of columns[layer + 1].filter(({ bias }) => !bias)) inside += way(from, to, { head: false, colour: "grey" });
    }
    columns.forEach((list, layer) => list.forEach((place, unit) => {
      const letter = letters[layer];
      inside += circle(place.x, place.y, radius, place.bias ? { observed: true } : { colour: layer === 0 ? undefined : "blue" });
      if (radius >= 9 && (letter || place.bias)) inside += words(place.bias ? "1" : `${letter}${layers[layer] > 1 ? subscript(unit + 1) : ""}`, place.x, place.y, { size: radius < 14 ? 11 : 13 });
      if (as && !place.bias) sheet.name(`${as}.${layer + 1}.${unit + 1}`, place);
    }));
    sheet.put(line, "network", inside, { layers: layers.join(" ") });
  },

  gate(sheet, { line, takes: [gate, ...names], options: { at: [x, y], observed, descendant } }) {
    const up = gate === "chain" ? 0 : gate === "cause" ? -26 : 26;
    const [left, middle, right] = [-58, 0, 58].map((across, index) => ({ kind: "circle", x: x + across, y: y + (index === 1 ? up : -up / 2), radius: 17 }));
    const arrows = { chain: [[left, middle], [middle, right]], cause: [[middle, left], [middle, right]], collider: [[left, middle], [right, middle]] }[gate];
    const child = { kind: "circle", x: middle.x + 58, y: middle.y + 12, radius: 14 };
    let inside = arrows.map(([from, to]) => way(from, to, { head: true })).join("");
    if (descendant) inside += way(middle, child, { head: true }) + circle(child.x, child.y, child.radius, { observed: true }) + words("D", child.x, child.y, { size: 12 });
    [left, middle, right].forEach((place, index) => { inside += circle(place.x, place.y, 17, { observed: index === 1 && observed }) + words(names[index], place.x, place.y); });
    const open = isOpen(gate, Boolean(observed), Boolean(descendant));
    inside += words(open ? "open" : "closed", x, y + 66, { bold: true, fill: paintOf(open ? "green" : "red") });
    sheet.put(line, "gate", inside, { gate, observed: Boolean(observed), descendant: Boolean(descendant), verdict: open ? "open" : "closed" });
  },

  table(sheet, { line, options: { at: [x, y], widths } }) {
    widths.forEach((wide) => sizeOf([wide, 1]));
    sheet.open = { table: { line, x, y, widths } };
  },

  row(sheet, { line, takes: [cells], options: { bold, fill } }) {
    const { table } = sheet.open;
    if (!table) throw new Error("there is no table above that this row could belong to; begin one with table at 60 60 widths 120 160");
    if (cells.length !== table.widths.length) throw new Error(`the row has ${cells.length} cells and the table ${table.widths.length} columns; give as many texts as widths`);
    const tall = LINE + 17 * (Math.max(...cells.map((cell) => cell.split("|").length)) - 1);
    let [x, inside] = [table.x, ""];
    cells.forEach((cell, index) => {
      const wide = table.widths[index];
      inside += mark("rect", { x, y: table.y, width: wide, height: tall, fill: fill ? paintOf(fill, 0.2) : bold ? themed("panel") : "none", stroke: themed("line") }) + words(cell, x + 10, table.y + tall / 2, { anchor: "start", bold, size: 13.5 });
      x += wide;
    });
    sheet.put(line, "row", inside, { cells: cells.join(" · ") });
    table.y += tall;
  },

  bar(sheet, { options: { at: [x, y], size } }) {
    const [wide, tall] = sizeOf(size);
    sheet.open = { bar: { x: x - wide / 2, y: y - tall / 2, wide, tall, parts: [] } };
  },

  part(sheet, { line, takes: [text, share, colour] }) {
    const { bar } = sheet.open;
    if (!bar) throw new Error("there is no bar above that this part could belong to; begin one with bar at 320 120 size 560 60");
    if (!(share > 0)) throw new Error(`the share is ${share}; it must be above zero`);
    // How wide the others are is known when all have been read.
    bar.parts.push({ line, text, share, colour });
  },

  bits(sheet, { line, takes: [bits], options: { at: [x, y], cell = 24, mark: marked = [], as, label } }) {
    sizeOf([cell, cell]);
    const left = x - (bits.length * cell) / 2;
    let inside = "";
    [...bits].forEach((bit, index) => {
      inside += mark("rect", { x: left + index * cell, y: y - cell / 2, width: cell, height: cell, fill: marked.includes(index + 1) ? paintOf("orange", 0.55) : bit === "1" ? paintOf("blue", 0.3) : "none", stroke: themed("ink") }) + words(bit, left + (index + 0.5) * cell, y, { size: cell * 0.55 });
    });
    if (label) inside += words(label, x, y + cell / 2 + 14, { size: 13 });
    sheet.put(line, "bits", inside, { bits, marked: marked.join(" ") });
    sheet.name(as, { kind: "box", x, y, wide: bits.length * cell, tall: cell });
  },

  axes(sheet, { line, takes: [across, up], options: { at: [x, y], size, depth } }) {
    const [wide, tall] = sizeOf(size);
    const from = { kind: "place", x, y };
    const end = (dx, dy) => ({ kind: "place", x: x + dx, y: y + dy });
    let inside = way(from, end(wide, 0), { head: true }) + words(across, x + wide + 4, y + 14, { size: 13 }) + way(from, end(0, -tall), { head: true }) + words(up, x - 4, y - tall - 10, { size: 13 });
    if (depth) inside += way(from, end(-0.3 * wide, 0.3 * tall), { head: true }) + words(depth, x - 0.3 * wide - 4, y + 0.3 * tall + 12, { size: 13 });
    sheet.put(line, "axes", inside);
  },

  plane(sheet, { line, options: { at: [x, y], size, slant = 40, colour = "sky", label } }) {
    const [wide, tall] = sizeOf(size);
    const corners = [[-wide / 2 + slant, -tall / 2], [wide / 2 + slant, -tall / 2], [wide / 2 - slant, tall / 2], [-wide / 2 - slant, tall / 2]];
    const area = mark("polygon", { points: corners.map(([dx, dy]) => `${x + dx},${y + dy}`).join(" "), fill: paintOf(colour, 0.3), stroke: paintOf(colour) });
    sheet.put(line, "plane", area + (label ? words(label, x + wide / 2 + slant + 8, y - tall / 2, { anchor: "start", size: 13 }) : ""), { y });
  },
};

function column(units, x, y, step, radius, bias) {
  const count = units + (bias ? 1 : 0);
  return Array.from({ length: count }, (_, unit) => ({ kind: "circle", x, y: y + (unit - (count - 1) / 2) * step, radius, bias: unit === units }));
}

/** Paints the parts of a bar, when all of them are known. */
export function finishBar(sheet, { x, y, wide, tall, parts }) {
  const whole = parts.reduce((sum, { share }) => sum + share, 0);
  let left = x;
  for (const { line, text, share, colour } of parts) {
    const part = (wide * share) / whole;
    const percent = `${Number(((100 * share) / whole).toFixed(1))} %`;
    const inside = mark("rect", { x: left, y, width: part, height: tall, fill: paintOf(colour, 0.35), stroke: themed("ink"), "stroke-width": 1.2 })
      + words(part > 70 ? `${text}|${percent}` : percent, left + part / 2, y + tall / 2, { size: 13 })
      + (part > 70 ? "" : words(text, left + part / 2, y + tall + 14, { size: 13 }));
    sheet.put(line, "part", inside, { text, x: left, wide: part, share: share / whole });
    left += part;
  }
}
