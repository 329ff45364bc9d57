// A law of one variable: its density above, its cumulative probability below, and a place that one drags.

import { css, themed } from "./palette.js";
import { ticks } from "./plane.js";

const EDGE = 30;
const GAP = 34;

/** The value at a place of the canvas. */
export function placeAt({ x }, sx, width) {
  const share = Math.max(0, Math.min(1, (sx - EDGE) / (width - 2 * EDGE)));
  return x[0] + share * (x.at(-1) - x[0]);
}

export function paintLaw(context, width, height, law) {
  const tall = (height - GAP - 2 * EDGE) / 2;
  const across = (value) => EDGE + ((value - law.x[0]) / (law.x.at(-1) - law.x[0])) * (width - 2 * EDGE);
  const peak = Math.max(...law.density.filter((value) => value !== null), Number.MIN_VALUE);
  const panels = [
    { title: "density p(x)", values: law.density, most: peak, bottom: EDGE + tall, at: law.at.density },
    { title: "cumulative probability P(X ≤ x)", values: law.cumulative, most: 1, bottom: EDGE + GAP + 2 * tall, at: law.at.cumulative },
  ];
  for (const [index, panel] of panels.entries()) {
    const up = (value) => panel.bottom - (value / panel.most) * (tall - 18);
    if (index === 0) fillBelow(context, law, across, up);
    paintPanel(context, law, panel, across, up, width);
  }
  paintPlace(context, across(law.at.x), height);
}

// What lies below the place: its area is the cumulative probability there.
function fillBelow(context, { x, density, at }, across, up) {
  context.fillStyle = css(4, 0.25);
  context.beginPath();
  context.moveTo(across(x[0]), up(0));
  x.forEach((value, index) => value <= at.x && density[index] !== null && context.lineTo(across(value), up(density[index])));
  context.lineTo(across(at.x), up(at.density ?? 0));
  context.lineTo(across(at.x), up(0));
  context.fill();
}

function paintPanel(context, { x, at }, { title, values, most, bottom, at: here }, across, up, width) {
  context.strokeStyle = themed("line");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(EDGE, bottom);
  context.lineTo(width - EDGE, bottom);
  context.stroke();
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  context.beginPath();
  x.forEach((value, index) => values[index] !== null && context.lineTo(across(value), up(values[index])));
  context.stroke();
  context.fillStyle = css(4);
  context.beginPath();
  if (here !== null) context.arc(across(at.x), up(here), 4, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = themed("ink");
  context.fillText(title, EDGE, up(most) - 6);
  context.fillStyle = themed("faint");
  context.textAlign = "right";
  context.fillText(String(Number(most.toPrecision(3))), EDGE - 4, up(most) + 4);
  context.textAlign = "center";
  for (const value of ticks(x[0], x.at(-1), 8)) context.fillText(String(value).replace("-", "−"), across(value), bottom + 14);
  context.textAlign = "left";
}

function paintPlace(context, x, height) {
  context.strokeStyle = themed("ink");
  context.lineWidth = 1;
  context.setLineDash([5, 4]);
  context.beginPath();
  context.moveTo(x, EDGE - 10);
  context.lineTo(x, height - EDGE);
  context.stroke();
  context.setLineDash([]);
}
