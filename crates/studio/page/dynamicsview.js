// Pictures of units in motion: a course over time, a flow with its roots, branches of roots, a phase portrait.

import { css, themed } from "./palette.js";
import { range, sharp } from "./parts.js";
import { ticks } from "./plane.js";

const EDGE = 34;

/** A frame with axes: gives where a pair of values lies. */
export function frame(context, width, height, [left, right], [bottom, top], across, up) {
  const x = (value) => EDGE + ((value - left) / (right - left || 1)) * (width - EDGE - 10);
  const y = (value) => height - EDGE + 8 - ((value - bottom) / (top - bottom || 1)) * (height - EDGE - 6);
  context.strokeStyle = themed("grid");
  context.fillStyle = themed("faint");
  context.lineWidth = 1;
  context.textAlign = "center";
  for (const tick of ticks(left, right, 8)) {
    line(context, [[x(tick), y(bottom)], [x(tick), y(top)]]);
    context.textAlign = x(tick) > width - 22 ? "right" : "center";
    context.fillText(String(tick).replace("-", "−"), Math.min(x(tick) + 8, context.textAlign === "right" ? width - 2 : x(tick)), height - 12);
  }
  context.textAlign = "right";
  for (const tick of ticks(bottom, top, 6)) {
    line(context, [[x(left), y(tick)], [x(right), y(tick)]]);
    context.fillText(String(tick).replace("-", "−"), EDGE - 4, y(tick) + 4);
  }
  context.textAlign = "right";
  context.fillText(across, width - 10, height - 2);
  context.textAlign = "left";
  context.fillText(up, 2, 10);
  return ([a, b]) => [x(a), y(b)];
}

/** A line through points of the canvas. */
export function line(context, points) {
  context.beginPath();
  points.forEach((point) => context.lineTo(...point));
  context.stroke();
}

// Filled where everything comes back, hollow where it runs away.
function dot(context, [x, y], stable, radius = 5) {
  context.beginPath();
  context.arc(x, y, radius, 0, 2 * Math.PI);
  context.fillStyle = stable ? themed("ink") : themed("canvas");
  context.fill();
  context.strokeStyle = themed("ink");
  context.lineWidth = 1.6;
  context.stroke();
}

/** The potential and the input that it follows, over time. */
export function paintResponse(canvas, { times, potentials, inputs, wanted }) {
  const [context, width, height] = sharp(canvas);
  const [low, high] = range([...potentials, ...inputs, 0]);
  const room = 0.1 * (high - low || 1);
  const place = frame(context, width, height, [0, times.at(-1)], [low - room, high + room], "time", "m");
  context.strokeStyle = css(1);
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  line(context, times.map((time, index) => place([time, inputs[index]])));
  // One and two time constants after the input came.
  context.strokeStyle = themed("faint");
  for (const count of [1, 2]) {
    const at = wanted.from + count * wanted.time_constant;
    if (at > Math.min(wanted.to, times.at(-1))) continue;
    line(context, [place([at, low - room]), place([at, high + room])]);
    context.fillStyle = themed("faint");
    context.fillText(count === 1 ? "τ" : "2τ", place([at, 0])[0] + 4, 20);
  }
  context.setLineDash([]);
  context.strokeStyle = css(0);
  context.lineWidth = 2.5;
  line(context, times.map((time, index) => place([time, potentials[index]])));
}

/** dm/dt over m, with the way that m goes and where it stands still. */
export function paintFlow(canvas, { places, drift, roots }) {
  const [context, width, height] = sharp(canvas);
  const [low, high] = range([...drift, 0]);
  const room = 0.08 * (high - low || 1);
  const place = frame(context, width, height, [places[0], places.at(-1)], [low - room, high + room], "m", "τ·dm/dt");
  context.strokeStyle = themed("ink");
  context.lineWidth = 1;
  line(context, [place([places[0], 0]), place([places.at(-1), 0])]);
  context.strokeStyle = css(0);
  context.lineWidth = 2.5;
  line(context, places.map((m, index) => place([m, drift[index]])));
  // Arrows along the axis, where m goes.
  context.fillStyle = css(4);
  for (let index = 8; index < places.length - 8; index += 16) {
    const [x, y] = place([places[index], 0]);
    const way = Math.sign(drift[index]);
    if (roots.some(([m]) => Math.abs(place([m, 0])[0] - x) < 10)) continue;
    context.beginPath();
    context.moveTo(x + 6 * way, y);
    context.lineTo(x - 4 * way, y - 4);
    context.lineTo(x - 4 * way, y + 4);
    context.fill();
  }
  for (const [m, stable] of roots) dot(context, place([m, 0]), stable, 6);
}

/** Every root for every weight: where one becomes three. */
export function paintBranches(canvas, { branches }, now) {
  const [context, width, height] = sharp(canvas);
  const all = branches.flatMap(([, roots]) => roots.map(([m]) => m));
  const [low, high] = range(all);
  const room = 0.06 * (high - low || 1);
  const place = frame(context, width, height, [branches[0][0], branches.at(-1)[0]], [low - room, high + room], "w₁₁", "m at rest");
  for (const [weight, roots] of branches) {
    for (const [m, stable] of roots) {
      const [x, y] = place([weight, m]);
      context.fillStyle = stable ? css(0) : css(4);
      context.fillRect(x - 1.5, y - 1.5, 3, 3);
    }
  }
  context.strokeStyle = themed("faint");
  context.setLineDash([4, 4]);
  line(context, [place([now, low - room]), place([now, high + room])]);
  context.setLineDash([]);
}

const square = ({ low, high }) => [[low, high], [low, high]];

/** The potentials at a spot of the portrait. */
export function placeAt(canvas, wanted, [x, y]) {
  const box = canvas.getBoundingClientRect();
  const [[left, right], [bottom, top]] = square(wanted);
  return [left + ((x - EDGE) / (box.width - EDGE - 10)) * (right - left), bottom + ((box.height - EDGE + 8 - y) / (box.height - EDGE - 6)) * (top - bottom)];
}

/** The field, where each unit stands still, where both do, and the ways that were started. */
export function paintPortrait(canvas, { field, nullclines, equilibria, ways, wanted }) {
  const [context, width, height] = sharp(canvas);
  const [across, up] = square(wanted);
  const place = frame(context, width, height, across, up, "m₁", "m₂");
  const most = Math.max(...field.map(([, , u, v]) => Math.hypot(u, v))) || 1;
  const cell = (width - EDGE) / 19;
  for (const [x, y, u, v] of field) {
    const speed = Math.hypot(u, v);
    if (speed < 1e-9) continue;
    const [px, py] = place([x, y]);
    // On the canvas up is less; long arrows are fast, but none is too short to be seen.
    const long = cell * (0.22 + 0.35 * Math.sqrt(speed / most));
    const [dx, dy] = [(u / speed) * long, (-v / speed) * long];
    context.strokeStyle = themed("faint");
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    line(context, [[px - dx / 2, py - dy / 2], [px + dx / 2, py + dy / 2]]);
    context.beginPath();
    context.arc(px + dx / 2, py + dy / 2, 1.7, 0, 2 * Math.PI);
    context.fillStyle = themed("faint");
    context.fill();
    context.globalAlpha = 1;
  }
  nullclines.forEach((points, unit) => {
    context.fillStyle = css(unit);
    for (const point of points) {
      const [x, y] = place(point);
      if (x >= EDGE && x <= width - 10 && y >= 0 && y <= height - EDGE + 8) context.fillRect(x - 1, y - 1, 2.4, 2.4);
    }
  });
  context.lineWidth = 2;
  ways.forEach((way) => {
    context.strokeStyle = css(4);
    line(context, way.map(place));
    context.fillStyle = css(4);
    context.beginPath();
    context.arc(...place(way[0]), 4, 0, 2 * Math.PI);
    context.fill();
  });
  for (const { place: at, stable } of equilibria) dot(context, place(at), stable, 6);
}
