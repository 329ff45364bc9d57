// A room of cells: walls, exits, scores and a start, and the text that the library reads it from.

/**
 * @typedef {{kind: "floor"|"wall"|"exit", score: number|null}} Cell
 * @typedef {{cells: Cell[][], start: number[]|null}} Room  rows from top to bottom
 */

export const MOST_SIDE = 24;

const FLOOR = { kind: "floor", score: null };

/** A room without walls, with one exit in the corner. */
export function emptyRoom(tall, wide) {
  const cells = Array.from({ length: tall }, () => Array.from({ length: wide }, () => FLOOR));
  cells[0][wide - 1] = { kind: "exit", score: 1 };
  return { cells, start: [tall - 1, 0] };
}

/** The room with another cell; a start in a wall or an exit is none. */
export function painted(room, [row, column], cell) {
  const cells = room.cells.with(row, room.cells[row].with(column, cell));
  const lost = room.start?.[0] === row && room.start[1] === column && cell.kind !== "floor";
  return { cells, start: lost ? null : room.start };
}

/** The room made larger or smaller; what is left over is floor, and there is always an exit. */
export function resized({ cells, start }, tall, wide) {
  const made = Array.from({ length: tall }, (_, row) => Array.from({ length: wide }, (_, column) => cells[row]?.[column] ?? FLOOR));
  if (!made.flat().some(({ kind }) => kind === "exit")) made[0][wide - 1] = { kind: "exit", score: 1 };
  const inside = start && start[0] < tall && start[1] < wide && made[start[0]][start[1]].kind === "floor";
  return { cells: made, start: inside ? start : null };
}

const LETTERS = [..."EPABCDFHIJKLMNOQRTUVWXYZabcdefghijklmnopqrstuvwxyz"];

/** The map as text with its legend: `#` a wall, `.` floor, `S` the start, a letter for every other score. */
export function textOf({ cells, start }) {
  const letters = new Map();
  const letterOf = (cell) => {
    const key = `${cell.score ?? 0}${cell.kind === "exit" ? " exit" : ""}`;
    if (!letters.has(key)) {
      if (letters.size === LETTERS.length) throw new Error(`a room has at most ${LETTERS.length} different scores`);
      letters.set(key, LETTERS[letters.size]);
    }
    return letters.get(key);
  };
  const lines = cells.map((line, row) => line.map((cell, column) => {
    if (cell.kind === "wall") return "#";
    if (cell.kind === "floor" && cell.score === null) return start?.[0] === row && start[1] === column ? "S" : ".";
    return letterOf(cell);
  }).join(""));
  const legend = [...letters].map(([key, letter]) => `${letter} = ${key}`);
  return `${lines.join("\n")}\n${legend.length ? `\n${legend.join("\n")}\n` : ""}`;
}

/** The room of such a text; fails with a sentence. */
export function roomOf(text) {
  const lines = text.replaceAll("\r", "").split("\n");
  const first = lines.findIndex((line) => line.trim());
  if (first < 0) throw new Error("the map is empty");
  const end = lines.findIndex((line, index) => index > first && !line.trim());
  const map = lines.slice(first, end < 0 ? lines.length : end).map((line) => line.trimEnd());
  const legend = new Map();
  for (const line of end < 0 ? [] : lines.slice(end).filter((one) => one.trim())) {
    const found = /^\s*(\p{L})\s*=\s*(-?[\d.]+(?:e-?\d+)?)\s*(exit)?\s*$/u.exec(line);
    if (!found) throw new Error(`“${line}” is not of the form “P = -1” or “P = -1 exit”`);
    legend.set(found[1], { kind: found[3] ? "exit" : "floor", score: Number(found[2]) });
  }
  const wide = map[0].length;
  if (map.some((line) => line.length !== wide)) throw new Error("a map is a rectangle");
  if (map.length > MOST_SIDE || wide > MOST_SIDE) throw new Error(`a room has at most ${MOST_SIDE}×${MOST_SIDE} cells`);
  let start = null;
  const cells = map.map((line, row) => [...line].map((letter, column) => {
    if (legend.has(letter)) return legend.get(letter);
    if (letter === "S") start = [row, column];
    if (letter === "#") return { kind: "wall", score: null };
    if (letter === "." || letter === "S") return FLOOR;
    if (letter === "G") return { kind: "exit", score: null };
    if (/\d/.test(letter)) return { kind: "floor", score: Number(letter) };
    throw new Error(`“${letter}” is not explained below the map`);
  }));
  return { cells, start };
}
