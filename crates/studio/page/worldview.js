// The four panes of the grid world: what to do, what is earned, what a cell is worth, what a move leads to.

import { paintArrow } from "./arrow.js";
import { css, themed } from "./palette.js";
import { sharp } from "./parts.js";

const STEPS = [[-1, 0], [0, 1], [1, 0], [0, -1]];
const EDGE = 4;

// How the cells of a room lie on a canvas.
function layout({ cells }, width, height) {
  const side = Math.min((width - 2 * EDGE) / cells[0].length, (height - 2 * EDGE) / cells.length);
  return { side, left: (width - side * cells[0].length) / 2, top: (height - side * cells.length) / 2 };
}

/** The row and the column at a spot of a pane; nothing beside the room. */
export function cellAt(canvas, room, [x, y]) {
  const box = canvas.getBoundingClientRect();
  const { side, left, top } = layout(room, box.width, box.height);
  const [row, column] = [Math.floor((y - top) / side), Math.floor((x - left) / side)];
  return room.cells[row]?.[column] ? [row, column] : null;
}

/** Paints all four panes. */
export function paintPanes(panes, world) {
  const { answer } = world;
  const index = new Map(answer?.places.map(([row, column], state) => [`${row} ${column}`, state]));
  const stateAt = (row, column) => index.get(`${row} ${column}`);
  for (const [name, canvas] of Object.entries(panes)) paintPane(canvas, PANES[name], { ...world, stateAt });
}

function paintPane(canvas, paintCell, world) {
  const [context, width, height] = sharp(canvas);
  const { room, chosen, robot } = world;
  const { side, left, top } = layout(room, width, height);
  context.textAlign = "center";
  context.textBaseline = "middle";
  room.cells.forEach((line, row) => line.forEach((cell, column) => {
    const box = { x: left + column * side, y: top + row * side, side };
    context.fillStyle = cell.kind === "wall" ? themed("faint") : themed("canvas");
    context.fillRect(box.x, box.y, side, side);
    if (cell.kind !== "wall") paintCell(context, box, { ...world, cell, row, column, state: world.stateAt(row, column) });
    context.strokeStyle = themed("line");
    context.lineWidth = cell.kind === "exit" ? 2.5 : 1;
    context.strokeRect(box.x, box.y, side, side);
  }));
  const around = ([row, column], style, thick) => {
    context.strokeStyle = style;
    context.lineWidth = thick;
    context.strokeRect(left + column * side + 2, top + row * side + 2, side - 4, side - 4);
  };
  if (chosen && room.cells[chosen[0]]?.[chosen[1]]) around(chosen, css(4), 2);
  if (robot) {
    context.beginPath();
    // In a corner of the cell, where it hides no number.
    context.arc(left + (robot[1] + 0.22) * side, top + (robot[0] + 0.24) * side, side * 0.13, 0, 2 * Math.PI);
    context.fillStyle = css(2, 0.85);
    context.fill();
    context.strokeStyle = themed("ink");
    context.lineWidth = 1.5;
    context.stroke();
  }
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
}

const middle = ({ x, y, side }) => [x + side / 2, y + side / 2];

// Numbers have room in cells that are not too small.
function write(context, box, text, style = themed("ink"), down = 0) {
  if (box.side < 26) return;
  context.fillStyle = style;
  const [x, y] = middle(box);
  context.fillText(text, x, y + down, box.side - 4);
}

const signed = (value) => String(Number(value.toPrecision(3))).replace("-", "−");

// Warm where it is worth much, cold where it costs.
const heat = (value, most) => css(value < 0 ? 0 : 1, (0.55 * Math.abs(value)) / (most || 1));

const PANES = {
  policy(context, box, { cell, answer, state }) {
    if (cell.kind === "exit") return write(context, box, "exit", themed("faint"));
    const action = answer?.policy[state];
    if (action === null || action === undefined) return;
    const [x, y] = middle(box);
    const [down, right] = STEPS[action];
    const long = box.side * 0.3;
    context.strokeStyle = css(4);
    context.fillStyle = css(4);
    context.lineWidth = Math.max(1.5, box.side / 18);
    paintArrow(context, [x - right * long, y - down * long], [x + right * long, y + down * long]);
  },

  reward(context, box, { cell, room, row, column, price }) {
    const score = cell.score ?? (cell.kind === "exit" ? 1 : null);
    if (score !== null) {
      context.fillStyle = heat(score, Math.max(1, Math.abs(score)));
      context.fillRect(box.x, box.y, box.side, box.side);
    }
    const start = room.start?.[0] === row && room.start[1] === column;
    write(context, box, score === null ? signed(price) : signed(score), score === null ? themed("faint") : themed("ink"));
    if (start) write(context, box, "start", themed("faint"), box.side * 0.3);
    if (cell.kind === "exit") write(context, box, "exit", themed("ink"), box.side * 0.3);
  },

  value(context, box, { cell, answer, state }) {
    if (cell.kind === "exit" || !answer) return write(context, box, cell.kind === "exit" ? "exit" : "", themed("faint"));
    const most = Math.max(...answer.values.map(Math.abs));
    const value = answer.values[state];
    context.fillStyle = heat(value, most);
    context.fillRect(box.x, box.y, box.side, box.side);
    write(context, box, signed(Number(value.toPrecision(box.side < 44 ? 2 : 3))));
  },

  // Where the best action of the chosen cell leads, and how likely.
  model(context, box, { answer, chosen, stateAt, state }) {
    const from = chosen && stateAt(...chosen);
    const action = from === undefined || from === null ? null : answer?.policy[from];
    if (!answer || action === null || action === undefined) return;
    const found = answer.model[from][action].find(([to]) => to === state);
    if (!found) return;
    context.fillStyle = css(0, 0.15 + 0.45 * found[1]);
    context.fillRect(box.x, box.y, box.side, box.side);
    write(context, box, `${(100 * found[1]).toFixed(0)} %`);
    write(context, box, signed(found[2]), themed("ink"), box.side * 0.3);
  },
};
