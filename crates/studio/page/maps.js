// The model all over the plane: class and cluster maps, values, densities, margins.

import { contour } from "./contour.js";
import { colour, themed, tint } from "./palette.js";
import { look, ticks, toScreen } from "./plane.js";
import { state } from "./state.js";

/** Bytes or floats of a map. */
export function cells(map) {
  const text = atob(map.bytes);
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  return ["values", "scores"].includes(map.kind) ? new Float32Array(bytes.buffer) : bytes;
}

// Maps are made into pictures and lines once, and then only moved and stretched.
const made = new WeakMap();

function prepared(map, answer) {
  if (!made.has(map)) {
    if (map.kind === "values") made.set(map, values(map, answer));
    else if (map.kind === "scores") made.set(map, margins(map));
    else made.set(map, shares(map, answer));
  }
  return made.get(map);
}

/** Paints every map of an answer over its region. */
export function paintMaps(context, answer, region) {
  // Straight margins are drawn with the line that they belong to.
  const straight = answer.figures.some(({ shape }) => shape.shape === "hyperplanes");
  for (const map of answer.maps) {
    // One group alone has nothing to be told apart from: its density says more.
    if (map.kind === "curve" || (map.kind === "scores" && straight) || map.count === 1) continue;
    const { image, lines } = prepared(map, answer);
    if (image) stretch(context, image, region);
    // A border that the model draws itself is finer than one between cells.
    if (map.kind === "classes" && straight && map.count === 2 && state.layers.geometry) continue;
    for (const line of lines) strokeLine(context, line, region);
  }
}

function strokeLine(context, { pieces, alpha, width }, region) {
  const [left, top] = toScreen([region.left, region.top]);
  const [right, bottom] = toScreen([region.right, region.bottom]);
  context.strokeStyle = themed("ink");
  context.globalAlpha = alpha;
  context.lineWidth = width * look.scale;
  context.beginPath();
  for (let at = 0; at < pieces.length; at += 4) {
    context.moveTo(left + pieces[at] * (right - left), top + pieces[at + 1] * (bottom - top));
    context.lineTo(left + pieces[at + 2] * (right - left), top + pieces[at + 3] * (bottom - top));
  }
  context.stroke();
  context.globalAlpha = 1;
}

function stretch(context, image, region) {
  const [left, top] = toScreen([region.left, region.top]);
  const [right, bottom] = toScreen([region.right, region.bottom]);
  context.imageSmoothingEnabled = true;
  context.drawImage(image, left, top, right - left, bottom - top);
}

function canvasOf(image) {
  const canvas = new OffscreenCanvas(image.width, image.height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

/** Classes and clusters as a picture and its borders: colours mixed by their shares, pale where unsure. */
export function shares(map, answer) {
  const { width, height, count } = map;
  const values = cells(map);
  const image = new ImageData(width, height);
  const colours = Array.from({ length: count }, (_, index) => colour(map.kind === "clusters" ? tint(answer, index) : index));
  for (let cell = 0; cell < width * height; cell++) {
    let [most, total, red, green, blue] = [0, 0, 0, 0, 0];
    for (let index = 0; index < count; index++) {
      const share = values[cell * count + index];
      if (share > most) most = share;
      // Squares make the sure parts clear and the unsure ones pale.
      const weight = (share / 255) ** 2;
      total += weight;
      red += weight * colours[index][0];
      green += weight * colours[index][1];
      blue += weight * colours[index][2];
    }
    if (!total) continue;
    image.data[cell * 4] = red / total;
    image.data[cell * 4 + 1] = green / total;
    image.data[cell * 4 + 2] = blue / total;
    image.data[cell * 4 + 3] = 40 + 95 * (most / 255) ** 2;
  }
  return { image: canvasOf(image), lines: borders(values, map) };
}

// The border of a class runs where its share equals the largest share of the others.
function borders(values, { width, height, count }) {
  const lead = new Float32Array(width * height);
  const hard = values.every((share) => share === 0 || share === 255);
  // Cells that belong to nobody, as of lonely points.
  const bare = hard && values.reduce((sum, share) => sum + share, 0) < 255 * width * height;
  const lines = [];
  // With two classes both have the same border, unless there is something else beside them.
  for (let index = 0; index < (count === 2 && !bare ? 1 : count); index++) {
    for (let cell = 0; cell < lead.length; cell++) {
      // In or out, as far from the border either way: rounding off leaves it where it is.
      if (hard) {
        lead[cell] = values[cell * count + index] ? 1 : -1;
        continue;
      }
      let rival = 0;
      for (let other = 0; other < count; other++) {
        if (other !== index && values[cell * count + other] > rival) rival = values[cell * count + other];
      }
      // Half a step keeps exact ties on one side, so that a border has no gaps.
      lead[cell] = values[cell * count + index] - rival - 0.5;
    }
    lines.push({ pieces: contour(hard ? softened(lead, width, height) : lead, width, height, 0), alpha: 0.75, width: 1.5 });
  }
  return lines;
}

// Between cells that are wholly of one class or the other a border would have stairs; the means of
// three by three cells, taken twice, round them off.
function softened(lead, width, height) {
  let from = lead;
  for (const [step, limit, size] of [[1, width, 1], [width, height, width], [1, width, 1], [width, height, width]]) {
    const to = new Float32Array(from.length);
    for (let cell = 0; cell < from.length; cell++) {
      const place = Math.floor(cell / size) % limit;
      const before = place > 0 ? from[cell - step] : from[cell];
      const after = place + 1 < limit ? from[cell + step] : from[cell];
      to[cell] = (before + from[cell] + after) / 3;
    }
    from = to;
  }
  return from;
}

// Numbers: blue below and red above the middle, or the darker the denser; with lines of equal height.
function values(map, answer) {
  const list = cells(map);
  let [low, high] = [Infinity, -Infinity];
  for (const value of list) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return { image: null, lines: [] };
  const isDensity = answer.abilities.includes("log-density") && !answer.abilities.includes("regress");
  // Densities are told by lines at one, two, three … standard deviations below the peak.
  const levels = isDensity ? [0.125, 0.5, 1.125, 2, 3.125, 4.5, 8].map((drop) => high - drop) : ticks(low, high, 10);
  const lines = levels.map((level) => ({ pieces: contour(list, map.width, map.height, level), alpha: 0.45, width: 1 }));
  const others = answer.maps.some((other) => (other.kind === "classes" || other.kind === "clusters") && other.count > 1);
  return { image: others ? null : canvasOf(shades(list, map, low, high, isDensity)), lines };
}

function shades(list, map, low, high, isDensity) {
  const image = new ImageData(map.width, map.height);
  const [cold, warm] = [colour(0), colour(4)];
  list.forEach((value, cell) => {
    if (!Number.isFinite(value)) return;
    const share = isDensity ? Math.exp(value - high) : (value - low) / (high - low || 1);
    image.data.set(isDensity || share <= 0.5 ? cold : warm, cell * 4);
    image.data[cell * 4 + 3] = 20 + 150 * (isDensity ? share : Math.abs(share - 0.5) * 2);
  });
  return image;
}

// The margins of two classes: where the score is one on either side of the border. The nearer to the
// border the score, the paler the ground, so that it is read off as a height.
function margins(map) {
  const scores = cells(map);
  const lines = [1, -1].map((level) => ({ pieces: contour(scores, map.width, map.height, level), alpha: 0.6, width: 1 }));
  const ground = document.documentElement.dataset.theme === "dark" ? [20, 24, 30] : [255, 255, 255];
  const image = new ImageData(map.width, map.height);
  scores.forEach((score, cell) => {
    image.data.set(ground, cell * 4);
    image.data[cell * 4 + 3] = 190 * Math.exp(-Math.abs(score));
  });
  return { image: canvasOf(image), lines };
}
