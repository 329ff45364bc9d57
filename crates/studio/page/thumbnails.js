// Rows that are small pictures: their size by the names of the columns, and how they are painted.

import { colour } from "./palette.js";
import { range } from "./parts.js";

const SIDE = 22;
const CHANNELS = ["red", "green", "blue"];

/** The names of the columns of pictures of this size. */
export function pixelNames({ wide, tall, channels }) {
  const each = (row, column) => (channels === 1 ? [`pixel_${row}_${column}`] : CHANNELS.map((channel) => `pixel_${row}_${column}_${channel}`));
  return Array.from({ length: tall }, (_, row) => Array.from({ length: wide }, (_, column) => each(row, column))).flat(2);
}

/** The size of the pictures that the columns make up, by their names; nothing where they are no pixels. */
export function pictureSize(names) {
  const places = names.map((name) => /^pixel_(\d+)_(\d+)(_red|_green|_blue)?$/.exec(name));
  if (!names.length || places.some((place) => !place)) return null;
  const [tall, wide] = [1, 2].map((part) => 1 + Math.max(...places.map((place) => Number(place[part]))));
  const channels = places[0][3] ? 3 : 1;
  return tall * wide * channels === names.length ? { wide, tall, channels } : null;
}

/**
 * A picture on a canvas of its own size: grey values as ink of a colour, coloured ones as they are.
 * @param {number[]} row  the pixels, from low to high
 */
export function pictureOf(row, { wide, tall, channels }, [low, high], ink) {
  const image = new ImageData(wide, tall);
  const share = (value) => (255 * (value - low)) / (high - low || 1);
  for (let pixel = 0; pixel < wide * tall; pixel++) {
    const parts = channels === 1 ? [...ink, share(row[pixel])] : [...row.slice(3 * pixel, 3 * pixel + 3).map(share), 255];
    image.data.set(parts, 4 * pixel);
  }
  return onCanvas(image);
}

/** Values of either sign as a heat map: blue below zero, orange above, paper at zero. */
export function heatOf(row, { wide, tall, channels }) {
  const image = new ImageData(wide, tall);
  const most = Math.max(...row.map(Math.abs)) || 1;
  for (let pixel = 0; pixel < wide * tall; pixel++) {
    if (channels === 3) {
      image.data.set([...row.slice(3 * pixel, 3 * pixel + 3).map((value) => 127.5 + (127.5 * value) / most), 255], 4 * pixel);
    } else {
      const value = row[pixel] / most;
      image.data.set([...colour(value < 0 ? 0 : 4), 255 * Math.abs(value)], 4 * pixel);
    }
  }
  return onCanvas(image);
}

function onCanvas(image) {
  const made = new OffscreenCanvas(image.width, image.height);
  made.getContext("2d").putImageData(image, 0, 0);
  return made;
}

/** Paints a small picture into a square of this side, pixel by pixel. */
export function paintLarge(context, picture, x, y, side) {
  const longest = Math.max(picture.width, picture.height);
  const [w, h] = [(side * picture.width) / longest, (side * picture.height) / longest];
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, x + (side - w) / 2, y + (side - h) / 2, w, h);
}

/**
 * Paints the pictures of some rows at their places, in the colour of their class: as many as have room.
 * @param {{place: number[], row: number[], label: number|null}[]} list
 */
export function paintThumbnails(context, list, size) {
  const span = range(list.flatMap(({ row }) => row));
  const taken = [];
  const longest = Math.max(size.wide, size.tall);
  for (const { place: [x, y], row, label } of list) {
    if (taken.some(([a, b]) => Math.abs(a - x) < SIDE && Math.abs(b - y) < SIDE)) continue;
    taken.push([x, y]);
    const [w, h] = [(SIDE * size.wide) / longest, (SIDE * size.tall) / longest];
    const [left, top] = [Math.round(x - w / 2), Math.round(y - h / 2)];
    context.drawImage(pictureOf(row, size, span, inkOf(label)), left, top, w, h);
    if (size.channels === 1) continue;
    // Coloured pictures keep their colours; the class is around them.
    context.strokeStyle = `rgb(${inkOf(label).join(" ")})`;
    context.lineWidth = 2;
    context.strokeRect(left, top, w, h);
  }
  return taken.length;
}

/** The colour of the ink of a class, bright on dark ground, as points are. */
export function inkOf(label) {
  const dark = document.documentElement.dataset.theme === "dark";
  return colour(label).map((part) => (dark ? Math.round(part + 0.35 * (255 - part)) : Math.round(0.85 * part)));
}
