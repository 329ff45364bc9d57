// Stamps: what a point looks like as dots, put on a sheet of dots that can be moved.

import { css, themed } from "./palette.js";

const RADIUS = 4;
/** How long the side of a stamp is. */
export const SIDE = 12;

let looks = new Map();
let made = "";

/** Forgets what points look like where the colours, the width of the sheet or its dots are others. */
export function useTheme(theme) {
  if (theme !== made) looks = new Map();
  made = theme;
}

/** A point as a circle, full or hollow. */
export function drawPoint(context, [x, y], label, hollow, scale) {
  context.beginPath();
  context.arc(x, y, RADIUS * scale, 0, 2 * Math.PI);
  context.lineWidth = (hollow ? 2 : 1) * scale;
  context.strokeStyle = hollow ? css(label) : themed("canvas");
  context.fillStyle = css(label);
  if (!hollow) context.fill();
  context.stroke();
}

/** What a point looks like: lists of the dots of a small picture that are not empty. */
export function lookOf(label, hollow, width) {
  const key = 2 * (label ?? -1) + (hollow ? 1 : 0);
  let found = looks.get(key);
  if (!found) looks.set(key, (found = pixelsOf(label, hollow, width)));
  return found;
}

function pixelsOf(label, hollow, width) {
  const ratio = window.devicePixelRatio || 1;
  const side = Math.ceil(SIDE * ratio);
  const context = new OffscreenCanvas(side, side).getContext("2d");
  context.scale(ratio, ratio);
  drawPoint(context, [SIDE / 2, SIDE / 2], label, hollow, 1);
  const colours = new Uint32Array(context.getImageData(0, 0, side, side).data.buffer);
  const places = [...colours.keys()].filter((place) => colours[place] >>> 24);
  // Dots that hide what is below them are written without looking.
  const list = (chosen) => ({
    across: Int32Array.from(chosen, (place) => place % side),
    down: Int32Array.from(chosen, (place) => Math.floor(place / side)),
    offsets: Int32Array.from(chosen, (place) => Math.floor(place / side) * width + (place % side)),
    colours: Uint32Array.from(chosen, (place) => colours[place]),
  });
  return { side, solid: list(places.filter((place) => colours[place] >= 0xff000000)), sheer: list(places.filter((place) => colours[place] < 0xff000000)) };
}

/** Puts a look on a sheet, wholly inside it. */
export function stamp(pixels, corner, { solid, sheer }) {
  const { offsets, colours } = solid;
  for (let part = 0; part < offsets.length; part++) pixels[corner + offsets[part]] = colours[part];
  const { offsets: edges, colours: shades } = sheer;
  for (let part = 0; part < edges.length; part++) {
    const place = corner + edges[part];
    pixels[place] = over(shades[part], pixels[place]);
  }
}

/** The same where it lies across an edge, dot by dot. */
export function stampWithin(pixels, width, x, y, { solid, sheer }, left, right, top, bottom) {
  for (const { across, down, offsets, colours } of [solid, sheer]) {
    for (let part = 0; part < offsets.length; part++) {
      const [column, row] = [x + across[part], y + down[part]];
      if (column < left || column >= right || row < top || row >= bottom) continue;
      const place = row * width + column;
      pixels[place] = over(colours[part], pixels[place]);
    }
  }
}

// One colour, partly transparent, over another: parts of 255, in whole numbers for speed.
function over(above, below) {
  if (above >= 0xff000000 || below < 0x01000000) return above;
  const cover = above >>> 24;
  if (below >= 0xff000000) {
    // Red and blue at once, and green, in parts of 256.
    const share = cover + (cover >>> 7);
    const rest = 256 - share;
    const outer = (((above & 0xff00ff) * share + (below & 0xff00ff) * rest) >>> 8) & 0xff00ff;
    const inner = (((above & 0xff00) * share + (below & 0xff00) * rest) >>> 8) & 0xff00;
    return (0xff000000 | outer | inner) >>> 0;
  }
  const rest = (((below >>> 24) * (255 - cover)) / 255) | 0;
  const all = cover + rest;
  const red = (((above & 255) * cover + (below & 255) * rest) / all) | 0;
  const green = ((((above >>> 8) & 255) * cover + ((below >>> 8) & 255) * rest) / all) | 0;
  const blue = ((((above >>> 16) & 255) * cover + ((below >>> 16) & 255) * rest) / all) | 0;
  return ((all << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** Moves all dots and gives the parts that are bare now: one along the side, one along the top or bottom. */
export function moveSheet({ pixels, width, height }, right, down) {
  const by = down * width + right;
  pixels.copyWithin(Math.max(by, 0), Math.max(-by, 0), pixels.length - Math.max(by, 0));
  const level = down > 0 ? [0, down] : [height + down, height];
  const upright = right > 0 ? [0, right] : [width + right, width];
  const rest = down > 0 ? [down, height] : [0, height + down];
  const parts = [];
  if (down) parts.push({ left: 0, right: width, top: level[0], bottom: level[1] });
  if (right) parts.push({ left: upright[0], right: upright[1], top: rest[0], bottom: rest[1] });
  for (const { left, right: end, top, bottom } of parts) for (let row = top; row < bottom; row++) pixels.fill(0, row * width + left, row * width + end);
  return parts;
}
