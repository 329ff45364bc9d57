// Rows that are small pictures, shown where a projection puts them.

import { colour } from "./palette.js";
import { range } from "./parts.js";

const SIDE = 22;

/** The size of the pictures that the columns make up, by their names; nothing where they are no pixels. */
export function pictureSize(names) {
  const places = names.map((name) => /^pixel_(\d+)_(\d+)$/.exec(name));
  if (!names.length || places.some((place) => !place)) return null;
  const [tall, wide] = [1, 2].map((part) => 1 + Math.max(...places.map((place) => Number(place[part]))));
  return tall * wide === names.length ? { wide, tall } : null;
}

/**
 * Paints the pictures of some rows at their places, in the colour of their class: as many as have room.
 * @param {{place: number[], row: number[], label: number|null}[]} list
 */
export function paintThumbnails(context, list, { wide, tall }) {
  const [low, high] = range(list.flatMap(({ row }) => row));
  const taken = [];
  const shownSide = Math.max(wide, tall);
  for (const { place: [x, y], row, label } of list) {
    if (taken.some(([a, b]) => Math.abs(a - x) < SIDE && Math.abs(b - y) < SIDE)) continue;
    taken.push([x, y]);
    const image = new ImageData(wide, tall);
    const ink = inkOf(label);
    row.forEach((value, pixel) => image.data.set([...ink, (255 * (value - low)) / (high - low || 1)], 4 * pixel));
    const small = new OffscreenCanvas(wide, tall);
    small.getContext("2d").putImageData(image, 0, 0);
    const [w, h] = [(SIDE * wide) / shownSide, (SIDE * tall) / shownSide];
    context.drawImage(small, Math.round(x - w / 2), Math.round(y - h / 2), w, h);
  }
  return taken.length;
}

// Bright on dark ground, as points are.
function inkOf(label) {
  const dark = document.documentElement.dataset.theme === "dark";
  return colour(label).map((part) => (dark ? Math.round(part + 0.35 * (255 - part)) : Math.round(0.85 * part)));
}
