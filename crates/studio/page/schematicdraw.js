// Drawing the simple commands of a schematic: words, icons, boxes, nodes, arrows, curves.

import { themed } from "./palette.js";
import { random } from "./scenes/points.js";
import { icon } from "./schematicicons.js";
import { edgeOf, mark, paintOf, words } from "./schematicsheet.js";

const MOST_DOTS = 300;
const HEAD = 9;

const lineColour = (colour) => (colour ? paintOf(colour) : themed("ink"));
const positive = (number, what) => {
  if (!(number > 0)) throw new Error(`${what} is ${number}; it must be above zero`);
  return number;
};

/** The size of a thing, both above zero. */
export const sizeOf = ([wide, tall]) => [positive(wide, "the width"), positive(tall, "the height")];

/** Whole numbers within bounds, with a sentence for others. */
export function whole(number, what, least, most) {
  if (!Number.isInteger(number) || number < least || number > most) throw new Error(`${what} is ${number}; it must be a whole number from ${least} to ${most}`);
  return number;
}

/** @type {Object<string, (sheet: import("./schematicsheet.js").Sheet, statement: import("./schematicscript.js").Statement) => void>} */
export const SIMPLE = {
  sheet(sheet, { takes: [wide, tall] }) {
    if (sheet.marks.length) throw new Error("the sheet has marks already; say how large it is in the first line");
    [sheet.width, sheet.height] = [whole(wide, "the width of the sheet", 40, 2000), whole(tall, "the height of the sheet", 40, 2000)];
  },

  text(sheet, { line, takes: [text], options: { at: [x, y], bold, small, faint, left, right, colour } }) {
    const style = { size: small ? 12 : 15, bold, anchor: left ? "start" : right ? "end" : "middle", fill: colour ? paintOf(colour) : themed(faint ? "faint" : "ink"), halo: true };
    sheet.put(line, "text", words(text, x, y, style));
  },

  icon(sheet, { line, takes: [shape, colour], options: { at: [x, y], radius = 16, hollow, striped, label, as } }) {
    positive(radius, "the radius");
    sheet.put(line, "icon", icon({ shape, colour, x, y, radius, hollow, striped }) + (label ? words(label, x, y + radius + 16, { size: 13 }) : ""), { shape, colour, fill: hollow ? "hollow" : striped ? "striped" : "full", x, y });
    sheet.name(as, { kind: "circle", x, y, radius: radius * 1.25 });
  },

  dots(sheet, { line, takes: [count, shape, colour], options: { at, size, radius = 5, hollow, striped, ring, seed = 1 } }) {
    whole(count, "the number of dots", 1, MOST_DOTS);
    const [wide, tall] = sizeOf(size);
    const list = ring ? along(count, at, wide, tall) : strewn(count, at, wide, tall, seed);
    for (const [x, y] of list) sheet.put(line, "dot", icon({ shape, colour, x, y, radius, hollow, striped }), { shape, colour, x, y });
  },

  box(sheet, { line, takes: [text], options: { at: [x, y], size, as, round, top, bold, fill, colour, dashed } }) {
    const [wide, tall] = sizeOf(size);
    const frame = mark("rect", { x: x - wide / 2, y: y - tall / 2, width: wide, height: tall, rx: round ? Math.min(wide, tall) / 2 : 6, fill: fill ? paintOf(fill, 0.18) : "none", stroke: lineColour(colour), "stroke-width": 1.6, "stroke-dasharray": dashed ? "6 4" : undefined });
    sheet.put(line, "box", frame + words(text, x, top ? y - tall / 2 + 14 : y, { bold: bold || top, size: 14 }), { text, x, y, wide, tall });
    sheet.name(as, { kind: "box", x, y, wide, tall });
  },

  node(sheet, { line, takes: [text], options: { at: [x, y], radius = 20, observed, as, colour } }) {
    positive(radius, "the radius");
    sheet.put(line, "node", circle(x, y, radius, { observed, colour }) + words(text, x, y, { size: radius < 15 ? 11 : 14 }), { text, observed: Boolean(observed) });
    sheet.name(as, { kind: "circle", x, y, radius });
  },

  arrow(sheet, statement) {
    const [from, , to] = statement.takes;
    sheet.put(statement.line, "arrow", way(sheet.find(from), sheet.find(to), { ...statement.options, head: true }), { from: String(from), to: String(to), label: statement.options.label });
  },

  line(sheet, statement) {
    const [from, , to] = statement.takes;
    sheet.put(statement.line, "line", way(sheet.find(from), sheet.find(to), statement.options), { from: String(from), to: String(to) });
  },

  curve(sheet, { line, takes: [numbers], options: { thick, colour, dashed, label } }) {
    if (numbers.length < 4 || numbers.length % 2) throw new Error(`a curve goes through two or more places, two numbers each; there are ${numbers.length} numbers`);
    const places = Array.from({ length: numbers.length / 2 }, (_, index) => [numbers[2 * index], numbers[2 * index + 1]]);
    const [x, y] = places[Math.floor(places.length / 2)];
    const drawn = mark("path", { d: smooth(places), fill: "none", stroke: lineColour(colour), "stroke-width": thick ? 4 : 1.8, "stroke-linecap": "round", "stroke-dasharray": dashed ? "6 4" : undefined });
    sheet.put(line, "curve", drawn + (label ? words(label, x, y - 12, { size: 13, halo: true }) : ""));
  },
};

/** A node's circle; an observed one is shaded. */
export const circle = (x, y, radius, { observed, colour } = {}) => mark("circle", { cx: x, cy: y, r: radius, fill: observed ? paintOf("grey", 0.45) : colour ? paintOf(colour, 0.25) : themed("canvas"), stroke: lineColour(colour), "stroke-width": 1.6 });

/** A line or an arrow from one thing to another, bent aside where that is asked for. */
export function way(from, to, { label, bend = 0, thick, colour, dashed, head }) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const long = Math.hypot(dx, dy);
  if (from === to && from.radius) return loop(from, { label, colour, head });
  if (!long) throw new Error("both ends are at the same place; only a round thing has a way back to itself");
  // To the left of the way is up on the sheet when it goes to the right.
  const normal = [dy / long, -dx / long];
  const middle = [(from.x + to.x) / 2 + bend * normal[0], (from.y + to.y) / 2 + bend * normal[1]];
  const control = [2 * middle[0] - (from.x + to.x) / 2, 2 * middle[1] - (from.y + to.y) / 2];
  const start = edgeOf(from, bend ? control : [to.x, to.y]);
  const end = edgeOf(to, bend ? control : [from.x, from.y]);
  const last = bend ? control : start;
  const angle = Math.atan2(end[1] - last[1], end[0] - last[0]);
  const stroke = lineColour(colour);
  const short = head ? [end[0] - 0.7 * HEAD * Math.cos(angle), end[1] - 0.7 * HEAD * Math.sin(angle)] : end;
  const at = ([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`;
  const d = `M${at(start)}${bend ? `Q${at(control)} ` : "L"}${at(short)}`;
  const body = mark("path", { d, fill: "none", stroke, "stroke-width": thick ? 3.5 : 1.6, "stroke-dasharray": dashed ? "6 4" : undefined });
  const corner = (turn) => at([end[0] - (thick ? 1.4 : 1) * HEAD * Math.cos(angle + turn), end[1] - (thick ? 1.4 : 1) * HEAD * Math.sin(angle + turn)]);
  const tip = head ? mark("path", { d: `M${at(end)}L${corner(0.42)}L${corner(-0.42)}z`, fill: stroke }) : "";
  // The middle of the curve, which bends farther where its ends lie at the edges of wide things.
  const top = [0, 1].map((axis) => (bend ? (start[axis] + 2 * control[axis] + end[axis]) / 4 : (start[axis] + end[axis]) / 2));
  return body + tip + (label ? beside(label, top, bend < 0 ? normal.map((part) => -part) : normal) : "");
}

// A way from a round thing back to itself, on its right.
function loop({ x, y, radius }, { label, colour, head }) {
  const stroke = lineColour(colour);
  const [start, end] = [-0.5, 0.5].map((angle) => [x + (radius + 2) * Math.cos(angle), y + (radius + 2) * Math.sin(angle)]);
  const far = x + 3 * radius;
  const body = mark("path", { d: `M${start[0].toFixed(1)} ${start[1].toFixed(1)}C${far} ${y - 1.6 * radius} ${far} ${y + 1.6 * radius} ${end[0].toFixed(1)} ${end[1].toFixed(1)}`, fill: "none", stroke, "stroke-width": 1.6 });
  const tip = head ? mark("path", { d: `M${end[0].toFixed(1)} ${end[1].toFixed(1)}l${HEAD} ${-0.1 * HEAD}l${-0.45 * HEAD} ${0.85 * HEAD}z`, fill: stroke }) : "";
  return body + tip + (label ? words(label, x + 2.6 * radius + 8, y, { size: 13, anchor: "start", halo: true }) : "");
}

// Words beside a line, on the side that it bends to.
function beside(label, [x, y], [nx, ny]) {
  const anchor = nx > 0.5 ? "start" : nx < -0.5 ? "end" : "middle";
  const lines = label.split("|").length;
  return words(label, x + 8 * nx, y + (6 + 7 * lines) * ny, { size: 13, anchor, halo: true });
}

// A curve through places that leaves each in the direction of its neighbours (Catmull–Rom).
function smooth(places) {
  const at = (index) => places[Math.max(0, Math.min(places.length - 1, index))];
  let d = `M${places[0].join(" ")}`;
  for (let index = 0; index + 1 < places.length; index++) {
    const [a, b, c, e] = [at(index - 1), at(index), at(index + 1), at(index + 2)];
    const first = [0, 1].map((axis) => (b[axis] + (c[axis] - a[axis]) / 6).toFixed(1));
    const second = [0, 1].map((axis) => (c[axis] - (e[axis] - b[axis]) / 6).toFixed(1));
    d += `C${first.join(" ")} ${second.join(" ")} ${c.join(" ")}`;
  }
  return d;
}

const along = (count, [x, y], wide, tall) => Array.from({ length: count }, (_, index) => {
  const angle = (2 * Math.PI * (index + 0.25)) / count;
  return [x + (wide / 2) * Math.cos(angle), y + (tall / 2) * Math.sin(angle)];
});

// Of several places by chance the one farthest from all others, so that dots rarely touch.
function strewn(count, [x, y], wide, tall, seed) {
  const rng = random(whole(seed, "the seed", 0, 1e6) + 11);
  const place = () => {
    const [angle, far] = [2 * Math.PI * rng.uniform(), Math.sqrt(rng.uniform())];
    return [x + (wide / 2) * far * Math.cos(angle), y + (tall / 2) * far * Math.sin(angle)];
  };
  const list = [];
  const lonely = ([a, b]) => list.reduce((least, [c, d]) => Math.min(least, Math.hypot(a - c, b - d)), Infinity);
  for (let made = 0; made < count; made++) {
    const some = Array.from({ length: 12 }, place);
    list.push(some.reduce((best, one) => (lonely(one) > lonely(best) ? one : best)));
  }
  return list;
}
