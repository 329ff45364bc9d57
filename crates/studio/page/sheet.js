// All small multiples in one picture, three in a row, as SVG or PNG.

import { paintSmall } from "./panel.js";
import { themed } from "./palette.js";
import { size } from "./plane.js";
import { Recorder, svgOf } from "./share.js";
import { written } from "./sweepvalues.js";

const WIDE = 280;
const GAP = 12;
const ABOVE = 16;
const BELOW = 36;
const LINE = 13;

// Where every panel goes.
function layout(panels) {
  const picture = (WIDE * size.height) / size.width;
  const tall = picture + ABOVE + BELOW;
  const across = Math.max(1, Math.min(3, panels.length));
  const places = panels.map((panel, index) => ({ panel, x: (index % across) * (WIDE + GAP), y: Math.floor(index / across) * tall }));
  return { places, picture, width: across * (WIDE + GAP) - GAP, height: Math.ceil(panels.length / across) * tall };
}

// Words in lines that are no wider than the picture.
function lines(words) {
  const made = [""];
  for (const part of words.split(" · ")) {
    const longer = made.at(-1) ? `${made.at(-1)} · ${part}` : part;
    if (longer.length > 50 && made.at(-1)) made.push(part);
    else made[made.length - 1] = longer;
  }
  return made.slice(0, 2);
}

const title = ({ name, value }) => `${name} = ${written(value)}`;

/** The sheet as SVG: lines, circles and text stay what they are. */
export async function sheetSvg(panels) {
  const { places, picture, width, height } = layout(panels);
  const parts = [`<rect width="${width}" height="${height}" fill="${themed("paper")}"/>`];
  for (const { panel, x, y } of places) {
    const recorder = new Recorder();
    paintSmall(recorder, panel, WIDE);
    const caption = (words, down, weight) => `<text x="${x}" y="${y + down}" font-family="sans-serif" font-size="11" font-weight="${weight}" fill="${themed("ink")}">${escape(words)}</text>`;
    parts.push(caption(title(panel), 12, 700), `<svg x="${x}" y="${y + ABOVE}" width="${WIDE}" height="${picture}" viewBox="0 0 ${size.width} ${size.height}">${await recorder.text()}</svg>`);
    lines(panel.words ?? "").forEach((words, line) => parts.push(caption(words, ABOVE + picture + LINE * (line + 1), 400)));
  }
  return svgOf(parts.join(""), width, height);
}

/** The sheet as a PNG of twice the size. */
export async function sheetPng(panels) {
  const { places, picture, width, height } = layout(panels);
  const canvas = new OffscreenCanvas(2 * width, 2 * height);
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.fillStyle = themed("paper");
  context.fillRect(0, 0, width, height);
  for (const { panel, x, y } of places) {
    const small = new OffscreenCanvas(2 * WIDE, 2 * picture);
    const inner = small.getContext("2d");
    inner.scale((2 * WIDE) / size.width, (2 * WIDE) / size.width);
    paintSmall(inner, panel, WIDE);
    context.drawImage(small, x, y + ABOVE, WIDE, picture);
    context.fillStyle = themed("ink");
    context.font = "700 11px sans-serif";
    context.fillText(title(panel), x, y + 12);
    context.font = "11px sans-serif";
    lines(panel.words ?? "").forEach((words, line) => context.fillText(words, x, y + ABOVE + picture + LINE * (line + 1)));
  }
  return canvas.convertToBlob({ type: "image/png" });
}

const escape = (text) => text.replace(/[&<]/g, (c) => ({ "&": "&amp;", "<": "&lt;" })[c]);
