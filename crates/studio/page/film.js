// A parameter that moves: frames between the values, played in the dialog and saved as an image sequence.

import { animated } from "./apng.js";
import { archive } from "./archive.js";
import { paintSmall, panelOf } from "./panel.js";
import { themed } from "./palette.js";
import { element } from "./parts.js";
import { size } from "./plane.js";
import { written } from "./sweepvalues.js";

const WIDE = 640;
const CAPTION = 44;
const MILLISECONDS = 125;

const frames = [];
let canvas = null;
let timer = null;
let at = 0;

/**
 * Values from the first to the last, evenly between each and the next; by ratios where they span decades.
 * Values between which there is nothing are taken as they are.
 */
export function between(list, count, smooth) {
  if (!smooth || list.length < 2) return list;
  const ratio = Math.max(...list) / Math.min(...list);
  const byRatio = Math.min(...list) > 0 && ratio > 20;
  const [there, back] = byRatio ? [Math.log, Math.exp] : [Number, Number];
  return Array.from({ length: count }, (_, frame) => {
    const place = (frame / (count - 1)) * (list.length - 1);
    const before = Math.min(list.length - 2, Math.floor(place));
    const value = there(list[before]) + (place - before) * (there(list[before + 1]) - there(list[before]));
    return Number(back(value).toPrecision(4));
  });
}

// A panel with what it shows written below it.
function painted(panel) {
  const tall = Math.round((WIDE * size.height) / size.width);
  const made = new OffscreenCanvas(WIDE, tall + CAPTION);
  const context = made.getContext("2d");
  context.save();
  context.scale(WIDE / size.width, WIDE / size.width);
  paintSmall(context, panel, WIDE);
  context.restore();
  context.fillStyle = themed("panel");
  context.fillRect(0, tall, WIDE, CAPTION);
  context.fillStyle = themed("ink");
  context.font = "700 14px sans-serif";
  context.fillText(`${panel.name} = ${written(panel.value)}`, 10, tall + 18);
  context.font = "12px sans-serif";
  context.fillText(panel.words ?? "", 10, tall + 35, WIDE - 20);
  return made;
}

function show(frame) {
  if (!canvas || !frames.length) return;
  const { picture } = frames[frame];
  Object.assign(canvas, { width: picture.width, height: picture.height });
  canvas.getContext("2d").drawImage(picture, 0, 0);
  canvas.dataset.frame = String(frame);
}

const bytesOf = (list) => Promise.all(list.map(async ({ picture }) => new Uint8Array(await (await picture.convertToBlob({ type: "image/png" })).arrayBuffer())));

export const film = {
  /** The values of the frames. */
  values: () => frames.map(({ value }) => value),

  /** Takes a picture of every value; `told` hears how many there are. */
  async shoot(name, list, { count, smooth }, signal, told) {
    film.stop();
    frames.length = 0;
    for (const value of between(list, count, smooth)) {
      const panel = await panelOf(name, value, signal);
      if (signal.aborted) return;
      frames.push({ value, picture: painted(panel) });
      told(frames.length);
      show(frames.length - 1);
    }
  },

  /** The canvas on which it is played. */
  screen() {
    canvas = element("canvas", undefined, "film");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", "The method while its parameter moves");
    return canvas;
  },

  play() {
    film.stop();
    if (frames.length < 2) return;
    timer = setInterval(() => show((at = (at + 1) % frames.length)), MILLISECONDS);
  },

  stop() {
    clearInterval(timer);
    at = 0;
  },

  /** The frames as pictures in an archive. */
  async archive() {
    if (!frames.length) throw new Error("there are no frames yet");
    const all = await bytesOf(frames);
    return archive(all.map((bytes, index) => ({ name: `frame-${String(index).padStart(3, "0")}.png`, bytes })));
  },

  /** The frames as one animated picture. */
  async animation() {
    if (!frames.length) throw new Error("there are no frames yet");
    return animated(await bytesOf(frames), MILLISECONDS);
  },
};
