// Views of rows: each row a line, a curve, or a place in space.

import { css, themed } from "./palette.js";
import { range } from "./parts.js";
import { projection } from "./space.js";

/** Every column on a scale from zero to one. */
export function scaled(columns) {
  return columns.map((column) => {
    const [low, high] = range(column);
    return Float64Array.from(column, (value) => (value - low) / (high - low || 1));
  });
}

// Many lines are drawn fainter, so that where they bundle can be seen.
const faintness = (rows) => Math.max(0.08, Math.min(0.7, 60 / rows));

const parallel = {
  name: "parallel coordinates",
  summary: "Each row a line across the columns, each column from its least to its greatest value.",
  paint(context, width, height, { names, columns, labels }) {
    const list = scaled(columns);
    const x = (column) => 40 + (column / Math.max(1, names.length - 1)) * (width - 80);
    const y = (share) => height - 30 - share * (height - 60);
    context.strokeStyle = themed("line");
    names.forEach((name, column) => {
      context.beginPath();
      context.moveTo(x(column), y(0));
      context.lineTo(x(column), y(1));
      context.stroke();
    });
    labels.forEach((label, row) => {
      context.strokeStyle = css(label, faintness(labels.length));
      context.beginPath();
      list.forEach((column, index) => context.lineTo(x(index), y(column[row])));
      context.stroke();
    });
    context.textAlign = "center";
    names.forEach((name, column) => {
      const [low, high] = range(columns[column]);
      context.fillStyle = themed("ink");
      context.fillText(name, x(column), height - 4);
      context.fillStyle = themed("faint");
      context.fillText(String(Number(high.toPrecision(3))), x(column), 16);
      context.fillText(String(Number(low.toPrecision(3))), x(column), height - 17);
    });
  },
};

/** Andrews' curve of a row at an angle: z₀/√2 + z₁ sin t + z₂ cos t + z₃ sin 2t + … */
export function andrewsAt(values, angle) {
  return values.reduce((sum, value, index) => {
    if (index === 0) return value / Math.SQRT2;
    const turns = Math.ceil(index / 2) * angle;
    return sum + value * (index % 2 ? Math.sin(turns) : Math.cos(turns));
  }, 0);
}

const andrews = {
  name: "Andrews curves",
  summary: "Each row a wave whose coefficients are its values; rows that are alike run together.",
  paint(context, width, height, { columns, labels }) {
    const list = scaled(columns).map((column) => column.map((value) => value - 0.5));
    const steps = 90;
    const angles = Array.from({ length: steps + 1 }, (_, step) => -Math.PI + (2 * Math.PI * step) / steps);
    const chosen = labels.map((_, row) => row).filter((row) => row % Math.ceil(labels.length / 1500) === 0);
    const curves = chosen.map((row) => angles.map((angle) => andrewsAt(list.map((column) => column[row]), angle)));
    const [low, high] = range(curves.flat());
    const y = (value) => height - 20 - ((value - low) / (high - low || 1)) * (height - 40);
    curves.forEach((curve, index) => {
      context.strokeStyle = css(labels[chosen[index]], faintness(chosen.length));
      context.beginPath();
      curve.forEach((value, step) => context.lineTo(20 + (step / steps) * (width - 40), y(value)));
      context.stroke();
    });
    context.fillStyle = themed("faint");
    context.textAlign = "left";
    context.fillText("−π", 16, height - 5);
    context.textAlign = "right";
    context.fillText("π", width - 16, height - 5);
  },
};

const radial = {
  name: "radial",
  summary: "Columns stand around a circle and pull each row towards them by its value (RadViz).",
  paint(context, width, height, { names, columns, labels }) {
    const list = scaled(columns);
    const radius = Math.min(width, height) / 2 - 40;
    const [cx, cy] = [width / 2, height / 2];
    const anchors = names.map((_, index) => [Math.cos((2 * Math.PI * index) / names.length), Math.sin((2 * Math.PI * index) / names.length)]);
    context.strokeStyle = themed("line");
    context.beginPath();
    context.arc(cx, cy, radius, 0, 2 * Math.PI);
    context.stroke();
    labels.forEach((label, row) => {
      const pull = list.reduce((sum, column) => sum + column[row], 0) || 1;
      const at = [0, 1].map((axis) => list.reduce((sum, column, index) => sum + column[row] * anchors[index][axis], 0) / pull);
      context.fillStyle = css(label, 0.7);
      context.fillRect(cx + at[0] * radius - 2, cy + at[1] * radius - 2, 4, 4);
    });
    context.fillStyle = themed("ink");
    context.textAlign = "center";
    names.forEach((name, index) => context.fillText(name, cx + anchors[index][0] * (radius + 22), cy + anchors[index][1] * (radius + 22) + 4));
  },
};

const bubbles = {
  name: "bubbles",
  summary: "The first two columns as places, the third as the size of a bubble.",
  paint(context, width, height, { names, columns, labels }) {
    const [across, up, third] = scaled(columns);
    labels.forEach((label, row) => {
      context.beginPath();
      context.arc(40 + across[row] * (width - 80), height - 40 - up[row] * (height - 80), third ? 3 + 17 * third[row] : 5, 0, 2 * Math.PI);
      context.fillStyle = css(label, 0.35);
      context.fill();
      context.strokeStyle = css(label, 0.9);
      context.stroke();
    });
    context.fillStyle = themed("ink");
    context.textAlign = "right";
    context.fillText(names[0], width - 10, height - 8);
    context.textAlign = "left";
    context.fillText(names[1] ?? "", 8, 14);
    if (third) context.fillText(`size: ${names[2]}`, width / 2 - 30, 14);
  },
};

const space = {
  name: "in space",
  summary: "The first three columns; drag or use the arrow keys to turn.",
  turns: true,
  paint(context, width, height, { names, columns, labels }) {
    const list = scaled(columns.slice(0, 3)).map((column) => column.map((value) => value - 0.5));
    const place = projection(width, height);
    context.strokeStyle = themed("line");
    const corners = Array.from({ length: 8 }, (_, bits) => [0, 1, 2].map((axis) => ((bits >> axis) & 1) - 0.5));
    corners.forEach((corner, bits) => [0, 1, 2].forEach((axis) => {
      if ((bits >> axis) & 1) return;
      context.beginPath();
      context.moveTo(...place(corner).slice(0, 2));
      context.lineTo(...place(corners[bits | (1 << axis)]).slice(0, 2));
      context.stroke();
    }));
    context.fillStyle = themed("ink");
    names.slice(0, 3).forEach((name, axis) => context.fillText(name, ...place([0, 1, 2].map((other) => (other === axis ? 0.6 : -0.5))).slice(0, 2)));
    const placed = labels.map((label, row) => [label, ...place([0, 1, 2].map((axis) => list[axis]?.[row] ?? 0))]);
    placed.sort((a, b) => b[3] - a[3]);
    for (const [label, x, y, deep] of placed) {
      context.fillStyle = css(label, 0.85);
      context.beginPath();
      context.arc(x, y, 3.2 - 1.6 * deep, 0, 2 * Math.PI);
      context.fill();
    }
  },
};

export const rowViews = { parallel, andrews, radial, bubbles, space };
