// The pictures of the mixing laboratory: sources, mixtures, white mixtures and what a turn makes of them.

import { paintArrow } from "./arrow.js";
import { corners, product, unlikeness } from "./mixing.js";
import { css, themed } from "./palette.js";
import { range, sharp } from "./parts.js";

const GAP = 14;
const TITLE = 18;

/** Paints the stages side by side. */
export function paintLab(canvas, lab) {
  const [context, width, height] = sharp(canvas);
  const stages = [["sources s", lab.sources.values, [[1, 0], [0, 1]]], ["mixtures x = A·s", lab.mixtures, lab.mixing]];
  if (lab.whitened) {
    stages.push(["made white", lab.whitened, lab.rotation]);
    const turn = [[Math.cos(lab.angle), Math.sin(lab.angle)], [-Math.sin(lab.angle), Math.cos(lab.angle)]];
    stages.push(["turned y", lab.sources.kind === "scatter" ? lab.parted : lab.placed, product(turn, lab.rotation)]);
  }
  const wide = (width - GAP * (stages.length - 1)) / stages.length;
  stages.forEach(([title, values, matrix], index) => {
    const box = { left: index * (wide + GAP), top: TITLE, wide, tall: height - TITLE };
    context.fillStyle = themed("ink");
    context.font = "600 12px system-ui, sans-serif";
    context.fillText(title, box.left, 12);
    context.font = "11px system-ui, sans-serif";
    PAINT[lab.sources.kind](context, box, values, { matrix, sources: lab.sources, axes: index > 0 });
  });
}

const PAINT = { scatter: paintScatter, pictures: paintPictures, sounds: paintSounds };

function paintScatter(context, { left, top, wide, tall }, [x, y], { matrix, sources, axes }) {
  const side = Math.min(wide, tall);
  const outline = corners(matrix, sources.bounds);
  const reach = 1.15 * Math.max(...range(x).map(Math.abs), ...range(y).map(Math.abs), ...outline.flat().map(Math.abs));
  const place = ([u, v]) => [left + ((u + reach) / (2 * reach)) * side, top + (1 - (v + reach) / (2 * reach)) * side];
  context.strokeStyle = themed("line");
  context.strokeRect(left, top, side, side);
  context.strokeStyle = themed("grid");
  context.beginPath();
  context.moveTo(...place([-reach, 0]));
  context.lineTo(...place([reach, 0]));
  context.moveTo(...place([0, -reach]));
  context.lineTo(...place([0, reach]));
  context.stroke();
  context.fillStyle = css(0, x.length > 50 ? 0.45 : 1);
  const radius = x.length > 50 ? 1.6 : 5;
  for (let index = 0; index < x.length; index++) {
    context.beginPath();
    context.arc(...place([x[index], y[index]]), radius, 0, 2 * Math.PI);
    context.fill();
  }
  // The edges of the shape lie along the columns of the matrix.
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.2;
  context.beginPath();
  outline.forEach((corner, index) => context[index ? "lineTo" : "moveTo"](...place(corner)));
  context.closePath();
  context.stroke();
  if (!axes) return;
  [0, 1].forEach((column) => {
    context.strokeStyle = css(4);
    context.fillStyle = css(4);
    context.lineWidth = 2;
    paintArrow(context, place([0, 0]), place([sources.bounds * matrix[0][column], sources.bounds * matrix[1][column]]));
    context.fillText(`a${column + 1}`, ...place([sources.bounds * matrix[0][column] * 1.08, sources.bounds * matrix[1][column] * 1.08]));
  });
}

function paintPictures(context, { left, top, wide, tall }, values, { sources }) {
  const side = Math.min(wide, (tall - 8) / 2);
  values.forEach((list, index) => {
    const [low, high] = range(list);
    const image = new ImageData(sources.wide, list.length / sources.wide);
    list.forEach((value, pixel) => {
      const grey = (255 * (value - low)) / (high - low || 1);
      image.data.set([grey, grey, grey, 255], 4 * pixel);
    });
    const made = new OffscreenCanvas(image.width, image.height);
    made.getContext("2d").putImageData(image, 0, 0);
    context.drawImage(made, left, top + index * (side + 8), side, side);
  });
}

// A short piece of each: enough to see the shape of its waves.
function paintSounds(context, { left, top, wide, tall }, values, { sources }) {
  const shown = Math.min(values[0].length, Math.round(sources.rate * 0.03));
  const high = (tall - 8) / 2;
  values.forEach((list, index) => {
    const [y, most] = [top + index * (high + 8), 1.1 * Math.max(...range(list).map(Math.abs))];
    context.strokeStyle = themed("line");
    context.strokeRect(left, y, wide, high);
    context.strokeStyle = css(index);
    context.lineWidth = 1.4;
    context.beginPath();
    for (let sample = 0; sample < shown; sample++) context.lineTo(left + (sample / (shown - 1)) * wide, y + high / 2 - (list[sample] / most) * (high / 2));
    context.stroke();
  });
}

/** How far from a bell both lists are at every angle, where one is, and the way of the search. */
export function paintIndex(canvas, white, angle, path) {
  const [context, width, height] = sharp(canvas);
  context.fillStyle = themed("faint");
  if (!white) {
    context.fillText("a source is lost: there is no angle to look for", 8, 16);
    return;
  }
  // Some thousand values tell the curve as well as all.
  const every = Math.ceil(white[0].length / 3000);
  const some = white.map((list) => list.filter((_, index) => index % every === 0));
  const count = 181;
  const heights = Array.from({ length: count }, (_, index) => unlikeness((index / (count - 1)) * Math.PI, some));
  const [low, high] = range(heights);
  const x = (at) => 8 + ((((at % Math.PI) + Math.PI) % Math.PI) / Math.PI) * (width - 16);
  const y = (value) => height - 16 - ((value - low) / (high - low || 1)) * (height - 34);
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  context.beginPath();
  heights.forEach((value, index) => context.lineTo(8 + (index / (count - 1)) * (width - 16), y(value)));
  context.stroke();
  context.fillStyle = css(4, 0.5);
  for (const one of path) dot(context, x(one), y(unlikeness(one, some)), 3);
  context.fillStyle = css(4);
  dot(context, x(angle), y(unlikeness(angle, some)), 5);
  context.fillStyle = themed("faint");
  context.fillText("how far from a bell both are, by the angle", 8, 11);
  for (const degrees of [0, 45, 90, 135]) context.fillText(`${degrees}°`, 8 + (degrees / 180) * (width - 16), height - 3);
}

function dot(context, x, y, radius) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fill();
}
