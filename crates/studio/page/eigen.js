// The axes of pictures are pictures: a strip of them, and a picture put together again from the first few.

import { css, themed } from "./palette.js";
import { $, neat, range, sharp } from "./parts.js";
import { rows } from "./matrix.js";
import { shown } from "./picture.js";
import { state } from "./state.js";
import { heatOf, inkOf, paintLarge, pictureOf, pictureSize } from "./thumbnails.js";

const GAP = 8;
const CAPTION = 15;

/**
 * The mean and the axes of length one of an answer, where its points are pictures.
 * @returns {{size: Object, mean: number[], axes: number[][]}|null}
 */
export function axesOf(answer) {
  const size = pictureSize(state.drawing.names);
  const figure = answer?.figures.find(({ shape }) => shape.shape === "axes")?.shape;
  if (!size || !figure || state.visibleOnly || figure.origin.length !== state.drawing.names.length) return null;
  const axes = rows(figure.directions).map((axis) => {
    const long = Math.hypot(...axis);
    return axis.map((value) => value / (long || 1));
  });
  return { size, mean: figure.origin, axes };
}

/**
 * A picture from the mean and its first p axes, and how much of its squared distance to the mean is left out.
 */
export function reconstructed(row, { mean, axes }, p) {
  const off = row.map((value, pixel) => value - mean[pixel]);
  const made = [...mean];
  for (const axis of axes.slice(0, p)) {
    const along = off.reduce((sum, value, pixel) => sum + value * axis[pixel], 0);
    axis.forEach((value, pixel) => { made[pixel] += along * value; });
  }
  const squared = (list) => list.reduce((sum, value) => sum + value * value, 0);
  return { row: made, lost: squared(row.map((value, pixel) => value - made[pixel])) / (squared(off) || 1) };
}

/**
 * How much of a picture is detail: the share of its squares that differences of neighbouring pixels make up.
 */
export function detail(row, { wide, tall, channels }) {
  let [edges, whole] = [0, 0];
  const at = (y, x, channel) => row[(y * wide + x) * channels + channel];
  for (let y = 0; y < tall; y++) {
    for (let x = 0; x < wide; x++) {
      for (let channel = 0; channel < channels; channel++) {
        whole += at(y, x, channel) ** 2;
        if (x + 1 < wide) edges += (at(y, x + 1, channel) - at(y, x, channel)) ** 2;
        if (y + 1 < tall) edges += (at(y + 1, x, channel) - at(y, x, channel)) ** 2;
      }
    }
  }
  return edges / (whole || 1);
}

/** Shows the strip and the picture of an answer whose axes are pictures. */
export function showEigen(answer) {
  const found = axesOf(answer);
  $("eigen").hidden = !found;
  $("rebuild").hidden = !found;
  if (!found) return;
  $("rebuild-count").max = found.axes.length;
  $("rebuild-which").max = state.drawing.points.length - 1;
  paintStrip(found, answer);
  paintRebuilt(found);
}

function paintStrip({ size, mean, axes }, answer) {
  const [context, width, height] = sharp($("eigen-strip"));
  const ratio = answer.attributes.find(({ name }) => name === "explained_variance_ratio")?.value;
  const pictures = [{ picture: pictureOf(mean, size, range(mean), inkOf(null)), words: "mean" }, ...axes.map((axis, index) => ({ picture: heatOf(axis, size), words: `${index + 1}${Array.isArray(ratio) ? ` · ${(100 * ratio[index]).toFixed(0)} %` : ""}` }))];
  // As large as all fit, in as many lines as that takes.
  let side = 16;
  const fits = (long) => Math.floor((width - GAP) / (long + GAP)) * Math.floor((height - GAP) / (long + CAPTION + GAP)) >= pictures.length;
  while (side < 120 && fits(side + 1)) side++;
  const across = Math.max(1, Math.floor((width - GAP) / (side + GAP)));
  context.textAlign = "center";
  pictures.forEach(({ picture, words }, index) => {
    const x = GAP + (index % across) * (side + GAP);
    const y = GAP + Math.floor(index / across) * (side + CAPTION + GAP);
    context.fillStyle = themed("paper");
    context.fillRect(x, y, side, side);
    paintLarge(context, picture, x, y, side);
    context.strokeStyle = themed("line");
    context.strokeRect(x, y, side, side);
    context.fillStyle = themed("faint");
    context.fillText(words, x + side / 2, y + side + 12);
  });
}

function paintRebuilt(found) {
  const [which, p] = [Number($("rebuild-which").value), Number($("rebuild-count").value)];
  const point = state.drawing.points[which];
  if (!point) return;
  const { row, lost } = reconstructed(point.c, found, p);
  const [context, width, height] = sharp($("rebuilt"));
  const side = Math.min((width - 3 * GAP) / 2, height - 2 * GAP - CAPTION);
  const span = range(point.c);
  const left = (width - 2 * side - GAP) / 2;
  [["as it is", point.c], [`from ${p} of ${found.axes.length}`, row]].forEach(([words, pixels], index) => {
    const x = left + index * (side + GAP);
    const clipped = pixels.map((value) => Math.max(span[0], Math.min(span[1], value)));
    paintLarge(context, pictureOf(clipped, found.size, span, inkOf(point.k)), x, GAP, side);
    context.strokeStyle = css(point.k);
    context.strokeRect(x, GAP, side, side);
    context.fillStyle = themed("faint");
    context.fillText(words, x, GAP + side + 12);
  });
  $("rebuild-words").textContent = `p = ${p}: ${neat(100 * lost)} % of this picture's squared distance to the mean is lost. ${p} numbers stand for ${point.c.length}.`;
}

export function wireEigen() {
  for (const id of ["rebuild-count", "rebuild-which"]) {
    $(id).oninput = () => {
      const found = axesOf(shown.answer);
      if (found) paintRebuilt(found);
    };
  }
}
