// Icons: objects of a colour and a shape, filled, hollow or striped.

import { themed } from "./palette.js";
import { mark, paintOf } from "./schematicsheet.js";
import { random } from "./scenes/points.js";

// The corners of a shape of radius one; y goes down.
const around = (count, turn, radius = () => 1) => Array.from({ length: count }, (_, index) => {
  const angle = turn + (2 * Math.PI * index) / count;
  return [radius(index) * Math.cos(angle), radius(index) * Math.sin(angle)];
});
const CORNERS = {
  square: around(4, Math.PI / 4, () => 1.2),
  triangle: around(3, -Math.PI / 2, () => 1.25),
  diamond: around(4, 0, () => 1.2),
  star: around(10, -Math.PI / 2, (index) => (index % 2 ? 0.5 : 1.25)),
  hexagon: around(6, 0, () => 1.1),
  cross: [[-0.4, -1.1], [0.4, -1.1], [0.4, -0.4], [1.1, -0.4], [1.1, 0.4], [0.4, 0.4], [0.4, 1.1], [-0.4, 1.1], [-0.4, 0.4], [-1.1, 0.4], [-1.1, -0.4], [-0.4, -0.4]],
};

/**
 * An icon about a place.
 * @param {{shape: string, colour: string, x: number, y: number, radius: number, hollow?: boolean, striped?: boolean}} what
 */
export function icon({ shape, colour, x, y, radius, hollow, striped }) {
  if (shape === "picture") return picture(colour, x, y, radius);
  if (shape === "sound") return sound(colour, x, y, radius);
  const line = { stroke: paintOf(colour), "stroke-width": hollow || striped ? 2.2 : 1, fill: hollow || striped ? themed("canvas") : paintOf(colour) };
  const outline = shape === "circle" ? mark("circle", { cx: x, cy: y, r: radius, ...line }) : mark("polygon", { points: CORNERS[shape].map(([a, b]) => `${(x + radius * a).toFixed(1)},${(y + radius * b).toFixed(1)}`).join(" "), "stroke-linejoin": "round", ...line });
  return striped ? outline + stripes(shape, colour, x, y, radius) : outline;
}

// Level lines inside a shape, as long as the shape is wide there.
function stripes(shape, colour, x, y, radius) {
  const lines = [];
  for (let down = -0.6; down <= 0.61; down += 0.4) {
    const half = halfWidth(shape, down);
    if (half > 0.1) lines.push(`M${(x - radius * half).toFixed(1)} ${(y + radius * down).toFixed(1)}h${(2 * radius * half).toFixed(1)}`);
  }
  return mark("path", { d: lines.join(""), stroke: paintOf(colour), "stroke-width": 2, fill: "none" });
}

function halfWidth(shape, down) {
  if (shape === "circle") return Math.sqrt(1 - down * down);
  const corners = CORNERS[shape];
  const crossings = corners.flatMap(([ax, ay], index) => {
    const [bx, by] = corners[(index + 1) % corners.length];
    return ay < down === by < down ? [] : [Math.abs(ax + ((down - ay) / (by - ay)) * (bx - ax))];
  });
  return crossings.length ? Math.min(...crossings) : 0;
}

// A picture: the sun over hills, in a frame.
function picture(colour, x, y, radius) {
  const [wide, tall] = [1.3 * radius, radius];
  const frame = mark("rect", { x: x - wide, y: y - tall, width: 2 * wide, height: 2 * tall, rx: 3, fill: paintOf(colour, 0.18), stroke: paintOf(colour), "stroke-width": 1.5 });
  const hills = mark("path", { d: `M${x - wide} ${y + tall}L${x - 0.4 * wide} ${y}L${x} ${y + 0.5 * tall}L${x + 0.45 * wide} ${y - 0.2 * tall}L${x + wide} ${y + tall}z`, fill: paintOf(colour) });
  return frame + hills + mark("circle", { cx: x - 0.45 * wide, cy: y - 0.5 * tall, r: 0.2 * radius, fill: paintOf(colour) });
}

// A sound: bars as loud as chance has it, the same for the same colour.
function sound(colour, x, y, radius) {
  const rng = random(colour.length * 7 + colour.charCodeAt(0));
  const bars = Array.from({ length: 13 }, (_, index) => {
    const along = (index - 6) / 6;
    const loud = radius * (0.15 + 0.85 * rng.uniform()) * (1 - 0.6 * along * along);
    return `M${(x + 1.3 * radius * along).toFixed(1)} ${(y - loud).toFixed(1)}v${(2 * loud).toFixed(1)}`;
  });
  return mark("path", { d: bars.join(""), stroke: paintOf(colour), "stroke-width": Math.max(1.5, radius / 9), "stroke-linecap": "round", fill: "none" });
}
