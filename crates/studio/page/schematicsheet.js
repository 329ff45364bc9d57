// The sheet of a schematic: marks as SVG, and named things that arrows find their way to.

import { css, themed } from "./palette.js";
import { COLOURS, nearest } from "./schematicwords.js";

/** A colour by its name, for lines and icons. */
export const paintOf = (name, alpha = 1) => css(COLOURS[name], alpha);

export const escaped = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const near = (value) => Number(value.toFixed(2));

/** Attributes as text; what is not said is left out. */
export const attributes = (given) => Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== false).map(([name, value]) => ` ${name}="${typeof value === "number" ? near(value) : escaped(String(value))}"`).join("");

/** An element without children. */
export const mark = (tag, given) => `<${tag}${attributes(given)}/>`;

/** What lies on a sheet, and how large it is. */
export class Sheet {
  width = 640;
  height = 360;
  marks = [];
  places = new Map();
  /** The table or bar whose rows or parts follow. */
  open = {};

  /** Puts marks down as one group that knows its line in the script and what it is. */
  put(line, kind, inside, data = {}) {
    const known = Object.fromEntries(Object.entries(data).map(([name, value]) => [`data-${name}`, typeof value === "boolean" ? String(value) : value]));
    this.marks.push(`<g${attributes({ "data-line": line, "data-kind": kind, ...known })}>${inside}</g>`);
  }

  /** Gives a thing its name. */
  name(name, place) {
    if (name === undefined) return;
    if (this.places.has(name)) throw new Error(`${name} is the name of something else already; choose another`);
    this.places.set(name, place);
  }

  /** What is called so, or the place itself. */
  find(end) {
    if (Array.isArray(end)) return { x: end[0], y: end[1], kind: "place" };
    const found = this.places.get(end);
    if (found) return found;
    const close = nearest(end, [...this.places.keys()]);
    throw new Error(`nothing above is called ${end}${close ? `; did you mean ${close}?` : `; give it a name with: as ${end.replace(/\W/g, "")}`}`);
  }

  /** The whole as a file. */
  svg() {
    const ground = mark("rect", { width: this.width, height: this.height, fill: themed("canvas") });
    return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${this.width} ${this.height}" width="${this.width}" height="${this.height}" font-family="system-ui, sans-serif">${ground}${this.marks.join("")}</svg>`;
  }
}

/** Where the way from the middle of a thing towards a place leaves it. */
export function edgeOf(place, [x, y], gap = 2) {
  const [dx, dy] = [x - place.x, y - place.y];
  const long = Math.hypot(dx, dy) || 1;
  if (place.kind === "circle") return [place.x + (dx / long) * (place.radius + gap), place.y + (dy / long) * (place.radius + gap)];
  if (place.kind === "box") {
    const share = Math.min(dx ? (place.wide / 2 + gap) / Math.abs(dx) : Infinity, dy ? (place.tall / 2 + gap) / Math.abs(dy) : Infinity);
    return [place.x + dx * share, place.y + dy * share];
  }
  return [place.x, place.y];
}

/** Words about a place; several lines where they say so with |. */
export function words(text, x, y, { size = 14, anchor = "middle", fill = themed("ink"), bold = false, halo = false } = {}) {
  const lines = text.split("|");
  const given = { x, "text-anchor": anchor, fill, "font-size": size, "font-weight": bold ? 600 : undefined };
  // A rim in the colour of the ground keeps words readable on lines.
  const rim = halo ? { stroke: themed("canvas"), "stroke-width": 4, "stroke-linejoin": "round", "paint-order": "stroke" } : {};
  return lines.map((line, index) => `<text${attributes({ ...given, ...rim, y: y + size * (0.36 + 1.25 * (index - (lines.length - 1) / 2)) })}>${escaped(line)}</text>`).join("");
}
