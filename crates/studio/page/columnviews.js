// Views of columns: their pairs, their spread, how they go together.

import { css, themed } from "./palette.js";
import { neat, range } from "./parts.js";

const BINS = 24;
const EDGE = 26;

/** Counts of a column in equal bins, a list per class; rows without a class come last. */
export function binned(column, labels, classes, [low, high]) {
  const counts = Array.from({ length: classes.length + 1 }, () => Array(BINS).fill(0));
  column.forEach((value, row) => {
    const bin = Math.min(BINS - 1, Math.floor(((value - low) / (high - low || 1)) * BINS));
    counts[labels[row] ?? classes.length][bin]++;
  });
  return counts;
}

/** Pearson's correlation of two columns; nothing where one is constant. */
export function correlation(one, two) {
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const [a, b] = [mean(one), mean(two)];
  let [both, first, second] = [0, 0, 0];
  one.forEach((value, row) => {
    both += (value - a) * (two[row] - b);
    first += (value - a) ** 2;
    second += (two[row] - b) ** 2;
  });
  return first && second ? both / Math.sqrt(first * second) : null;
}

function bars(context, counts, x, y, width, height) {
  const totals = counts[0].map((_, bin) => counts.reduce((sum, list) => sum + list[bin], 0));
  const most = Math.max(1, ...totals);
  totals.forEach((_, bin) => {
    let below = 0;
    counts.forEach((list, label) => {
      const tall = (list[bin] / most) * height;
      context.fillStyle = css(label === counts.length - 1 ? null : label, 0.75);
      context.fillRect(x + (bin * width) / BINS, y + height - below - tall, width / BINS - 0.5, tall);
      below += tall;
    });
  });
}

const cellAt = (width, height, count) => [(width - EDGE) / count, (height - EDGE) / count];

const matrix = {
  name: "scatter matrix",
  summary: "Every pair of columns, and the spread of each. Click a pair to see it on the canvas.",
  paint(context, width, height, { names, columns, labels, classes }) {
    const [w, h] = cellAt(width, height, names.length);
    const ranges = columns.map(range);
    const radius = labels.length > 2000 ? 1.5 : labels.length > 400 ? 2.5 : 4;
    columns.forEach((up, row) => columns.forEach((across, column) => {
      const [x, y] = [EDGE + column * w, row * h];
      context.strokeStyle = themed("line");
      context.strokeRect(x + 2, y + 2, w - 4, h - 4);
      if (row === column) {
        bars(context, binned(up, labels, classes, ranges[row]), x + 5, y + 5, w - 10, h - 10);
        return;
      }
      const place = (value, [low, high], long) => 6 + ((value - low) / (high - low || 1)) * (long - 12);
      across.forEach((value, index) => {
        context.fillStyle = css(labels[index], 0.8);
        context.fillRect(x + place(value, ranges[column], w) - radius / 2, y + h - place(up[index], ranges[row], h) - radius / 2, radius, radius);
      });
    }));
    context.fillStyle = themed("ink");
    context.textAlign = "center";
    names.forEach((name, index) => {
      context.fillText(name, EDGE + (index + 0.5) * w, height - 9, w - 8);
      context.save();
      context.translate(14, (index + 0.5) * h);
      context.rotate(-Math.PI / 2);
      context.fillText(name, 0, 0, h - 8);
      context.restore();
    });
  },
  pick(x, y, width, height, { names }) {
    const [w, h] = cellAt(width, height, names.length);
    const [column, row] = [Math.floor((x - EDGE) / w), Math.floor(y / h)];
    return column >= 0 && row < names.length && column !== row ? [column, row] : null;
  },
};

const histograms = {
  name: "histograms",
  summary: "How the values of each column are spread, by class, with mean and standard deviation.",
  paint(context, width, height, { names, columns, labels, classes }) {
    const across = Math.ceil(Math.sqrt(names.length));
    const [w, h] = [width / across, height / Math.ceil(names.length / across)];
    columns.forEach((column, index) => {
      const [x, y] = [(index % across) * w, Math.floor(index / across) * h];
      const [low, high] = range(column);
      bars(context, binned(column, labels, classes, [low, high]), x + 12, y + 24, w - 24, h - 46);
      const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
      const spread = Math.sqrt(column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length);
      context.fillStyle = themed("ink");
      context.textAlign = "left";
      context.fillText(`${names[index]}: ${neat(mean)} ± ${neat(spread)}`, x + 12, y + 15, w - 24);
      context.fillStyle = themed("faint");
      context.fillText(neat(low), x + 12, y + h - 8);
      context.textAlign = "right";
      context.fillText(neat(high), x + w - 12, y + h - 8);
    });
  },
};

const correlations = {
  name: "correlations",
  summary: "Pearson's correlation of every two columns: blue together, red against each other.",
  paint(context, width, height, { names, columns }) {
    const edge = 90;
    const cell = Math.min((width - edge) / names.length, (height - 40) / names.length, 150);
    context.translate(Math.max(0, (width - edge - cell * names.length) / 2 - edge / 2), Math.max(0, (height - 40 - cell * names.length) / 2));
    context.textBaseline = "middle";
    columns.forEach((one, row) => columns.forEach((two, column) => {
      const value = correlation(one, two);
      const [x, y] = [edge + column * cell, 24 + row * cell];
      context.fillStyle = css(value === null ? null : value < 0 ? 4 : 0, value === null ? 0.2 : Math.abs(value) * 0.6);
      context.fillRect(x, y, cell - 2, cell - 2);
      context.fillStyle = themed("ink");
      context.textAlign = "center";
      context.fillText(value === null ? "–" : value.toFixed(2), x + cell / 2, y + cell / 2);
    }));
    context.fillStyle = themed("ink");
    names.forEach((name, index) => {
      context.textAlign = "right";
      context.fillText(name, edge - 6, 24 + (index + 0.5) * cell, edge - 8);
      context.textAlign = "center";
      context.fillText(name, edge + (index + 0.5) * cell, 12, cell - 4);
    });
  },
};

export const columnViews = { matrix, histograms, correlations };
