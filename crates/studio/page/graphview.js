// Distances between rows as a matrix, and the graph of those that are near.

import { css, themed } from "./palette.js";
import { range } from "./parts.js";

/** Rows that are shown; of more every so-manieth is taken. */
const MOST = 240;

/** What near means. */
export const MEASURES = {
  Euclid: (gaps) => Math.hypot(...gaps),
  Manhattan: (gaps) => gaps.reduce((sum, gap) => sum + Math.abs(gap), 0),
  largest: (gaps) => Math.max(...gaps.map(Math.abs)),
};

/** The distance of every two rows: symmetric, with zeros along the diagonal. */
export function distanceMatrix(rows, measure) {
  return rows.map((one) => rows.map((two) => MEASURES[measure](one.map((value, axis) => value - two[axis]))));
}

/** One where two rows are within the threshold, else zero: symmetric, with ones along the diagonal. */
export const similarityMatrix = (distances, threshold) => distances.map((line) => line.map((distance) => (distance <= threshold ? 1 : 0)));

/** The pairs of different rows within the threshold, each once. */
export function edgesWithin(distances, threshold) {
  return distances.flatMap((line, one) => line.flatMap((distance, two) => (two > one && distance <= threshold ? [[one, two]] : [])));
}

/** In how many parts the graph falls. */
export function partsOf(count, edges) {
  const parent = Array.from({ length: count }, (_, row) => row);
  const root = (row) => {
    while (parent[row] !== row) row = parent[row] = parent[parent[row]];
    return row;
  };
  for (const [one, two] of edges) parent[root(one)] = root(two);
  return parent.filter((above, row) => above === row).length;
}

// Every so-manieth row, in the order of the classes.
function chosen({ columns, labels }) {
  const step = Math.ceil(labels.length / MOST);
  const order = labels.map((_, row) => row).filter((row) => row % step === 0).sort((a, b) => (labels[a] ?? 99) - (labels[b] ?? 99));
  return { order, rows: order.map((row) => columns.map((column) => column[row])) };
}

export const graph = {
  name: "threshold graph",
  summary: "Rows within the threshold are joined; beside the graph the matrix of who is joined with whom.",
  /** The threshold begins where one pair in twenty is joined, and goes as far as the farthest pair. */
  options(data) {
    const { rows } = chosen(data);
    const list = distanceMatrix(rows, "Euclid").flatMap((line, one) => line.slice(one + 1)).sort((a, b) => a - b);
    return { measure: Object.keys(MEASURES), threshold: [list[Math.floor(list.length / 20)] ?? 1, list.at(-1) ?? 1] };
  },
  paint(context, width, height, data, { measure, threshold }) {
    const { order, rows } = chosen(data);
    const distances = distanceMatrix(rows, measure);
    const edges = edgesWithin(distances, threshold);
    const side = Math.min(height - 30, width / 2 - 30);
    paintGraph(context, { width: width - side - 50, height: height - 30 }, { rows, edges, labels: order.map((row) => data.labels[row]) }, data.axes);
    context.save();
    context.translate(width - side - 14, 4);
    paintMatrix(context, side, similarityMatrix(distances, threshold), order.map((row) => data.labels[row]));
    context.restore();
    return `${edges.length} of ${(rows.length * (rows.length - 1)) / 2} pairs are within ${Number(threshold.toPrecision(3))}; the graph falls into ${partsOf(rows.length, edges)} parts.`;
  },
};

function paintGraph(context, { width, height }, { rows, edges, labels }, axes) {
  const place = axes.map((axis, side) => {
    const [low, high] = range(rows.map((row) => row[axis]));
    return (row) => (side === 0 ? 16 + ((row[axis] - low) / (high - low || 1)) * (width - 32) : height - 16 - ((row[axis] - low) / (high - low || 1)) * (height - 32));
  });
  context.strokeStyle = themed("faint");
  context.lineWidth = 0.7;
  context.globalAlpha = Math.max(0.15, Math.min(0.8, 600 / (edges.length || 1)));
  context.beginPath();
  for (const [one, two] of edges) {
    context.moveTo(place[0](rows[one]), place[1](rows[one]));
    context.lineTo(place[0](rows[two]), place[1](rows[two]));
  }
  context.stroke();
  context.globalAlpha = 1;
  rows.forEach((row, index) => {
    context.fillStyle = css(labels[index]);
    context.beginPath();
    context.arc(place[0](row), place[1](row), 3.5, 0, 2 * Math.PI);
    context.fill();
  });
}

/** A square of numbers between zero and one, dark where one, with the classes along its edges. */
export function paintMatrix(context, side, matrix, labels) {
  const count = matrix.length;
  const image = new ImageData(count, count);
  matrix.forEach((line, one) => line.forEach((value, two) => image.data.set([0, 114, 178, 255 * value], 4 * (one * count + two))));
  const small = new OffscreenCanvas(count, count);
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, side, side);
  labels.forEach((label, place) => {
    context.fillStyle = css(label);
    const [from, long] = [(place / count) * side, side / count + 0.5];
    context.fillRect(-12, from, 8, long);
    context.fillRect(from, side + 4, long, 8);
  });
}

export const distances = {
  name: "distances",
  summary: "The distance of every two rows, dark where near, rows in the order of their classes.",
  options: () => ({ measure: Object.keys(MEASURES) }),
  paint(context, width, height, data, { measure }) {
    const { order, rows } = chosen(data);
    const matrix = distanceMatrix(rows, measure);
    const far = matrix.flat().reduce((most, distance) => Math.max(most, distance), 0) || 1;
    const side = Math.min(width - 24, height - 20);
    context.translate((width - side) / 2, 2);
    // Half way to the farthest pair is far: else what is near would look all alike.
    paintMatrix(context, side, matrix.map((line) => line.map((distance) => Math.max(0, 1 - (2 * distance) / far))), order.map((row) => data.labels[row]));
    return `The farthest pair is ${Number(far.toPrecision(3))} apart.`;
  },
};

export const graphViews = { distances, graph };
