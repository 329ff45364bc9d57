// A set of small pictures of one size with their classes: made of parts of larger ones, saved, opened, used as data.

import { pictureSize, pixelNames } from "./thumbnails.js";

/** Most pictures of a set, and the longest side of one. */
export const MOST = 2000;
export const LONGEST = 32;

/**
 * @typedef {{row: number[], label: number|null}} Picture  the pixels from 0 to 1, and the class
 * @typedef {{size: {wide: number, tall: number, channels: number}, classes: string[], pictures: Picture[]}} ImageSet
 */

/** A set without pictures. */
export const emptySet = (side = 16, channels = 1, classes = ["A", "B"]) => ({ size: { wide: side, tall: side, channels }, classes, pictures: [] });

/** The part of an image, made so small: its pixels from 0 to 1. */
export function pixelsOf(image, { x, y, wide, tall }, size) {
  const small = new OffscreenCanvas(size.wide, size.tall);
  const context = small.getContext("2d", { willReadFrequently: true });
  context.imageSmoothingQuality = "high";
  // What is transparent is paper.
  context.fillStyle = "#fff";
  context.fillRect(0, 0, size.wide, size.tall);
  context.drawImage(image, x, y, wide, tall, 0, 0, size.wide, size.tall);
  const { data } = context.getImageData(0, 0, size.wide, size.tall);
  const row = [];
  for (let place = 0; place < data.length; place += 4) {
    const [red, green, blue] = [data[place] / 255, data[place + 1] / 255, data[place + 2] / 255];
    if (size.channels === 3) row.push(red, green, blue);
    // As bright as the eye sees it.
    else row.push(0.299 * red + 0.587 * green + 0.114 * blue);
  }
  return row.map((value) => Math.round(value * 255) / 255);
}

/** The largest square in the middle of an image. */
export function middle({ width, height }) {
  const side = Math.min(width, height);
  return { x: (width - side) / 2, y: (height - side) / 2, wide: side, tall: side };
}

/** The set as text: every picture as the bytes of its pixels. */
export function written({ size, classes, pictures }) {
  const bytes = (row) => btoa(String.fromCharCode(...row.map((value) => Math.round(255 * value))));
  return JSON.stringify({ kind: "didact pictures", version: 1, size, classes, pictures: pictures.map(({ row, label }) => [label, bytes(row)]) });
}

/** The set of such a text; fails with a sentence. */
export function read(text) {
  let saved;
  try {
    saved = JSON.parse(text);
  } catch {
    throw new Error("this is no set of pictures");
  }
  if (saved?.kind !== "didact pictures" || saved.version !== 1 || !Array.isArray(saved.pictures)) throw new Error("this is no set of pictures");
  const { wide, tall, channels } = saved.size ?? {};
  const usable = [wide, tall].every((side) => Number.isInteger(side) && side >= 1 && side <= LONGEST) && [1, 3].includes(channels);
  if (!usable || saved.pictures.length > MOST) throw new Error(`a set has at most ${MOST} pictures of at most ${LONGEST}×${LONGEST} pixels`);
  const classes = Array.isArray(saved.classes) && saved.classes.length ? saved.classes.map(String) : ["A", "B"];
  const pictures = saved.pictures.map(([label, text_]) => {
    const row = Array.from(atob(text_), (letter) => letter.charCodeAt(0) / 255);
    if (row.length !== wide * tall * channels) throw new Error("a picture of the set has another size");
    return { row, label: Number.isInteger(label) && label < classes.length ? label : null };
  });
  return { size: { wide, tall, channels }, classes, pictures };
}

/** The set as a drawing: a row for every picture, a column for every pixel. */
export function drawingOfSet({ size, classes, pictures }) {
  return { names: pixelNames(size), classes, points: pictures.map(({ row, label }) => ({ c: row, k: label, s: null })) };
}

/** The set that a drawing is, where its columns are pixels; values become those from 0 to 1. */
export function setOfDrawing({ names, classes, points }) {
  const size = pictureSize(names);
  if (!size) return null;
  let [low, high] = [Infinity, -Infinity];
  for (const { c } of points) {
    for (const value of c) {
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  const share = (value) => (value - low) / (high - low || 1);
  return { size, classes: [...classes], pictures: points.slice(0, MOST).map(({ c, k }) => ({ row: c.map(share), label: k })) };
}
