// A density of two variables as a surface over the plane, which one turns.

import { ellipseOf } from "./ellipse.js";
import { covarianceOf } from "./joint.js";
import { css, themed } from "./palette.js";
import { projection } from "./space.js";

const SIDE = 56;
const TALL = 0.62;
const BASE = -0.2;
const SHADES = 24;

/** The density on a coarser grid, from nothing to one. */
function heights({ cells: [wide, tall], density }) {
  const most = density.reduce((high, value) => Math.max(high, value), 0) || 1;
  return Array.from({ length: SIDE + 1 }, (_, row) => Array.from({ length: SIDE + 1 }, (_, column) => {
    const [x, y] = [Math.min(wide - 1, Math.round((column / SIDE) * (wide - 1))), Math.min(tall - 1, Math.round((1 - row / SIDE) * (tall - 1)))];
    return density[y * wide + x] / most;
  }));
}

/** The surface, with the ellipses of a Gaussian pair along it. */
export function paintSurface(context, width, height, joint, pair) {
  const place = projection(width, height, 0.66);
  const grid = heights(joint);
  const corner = (column, row) => place([column / SIDE - 0.5, row / SIDE - 0.5, BASE + TALL * grid[row][column]]);
  const shades = Array.from({ length: SHADES }, (_, shade) => `color-mix(in srgb, ${css(0)} ${8 + (80 * shade) / SHADES}%, ${themed("canvas")})`);
  context.strokeStyle = `color-mix(in srgb, ${css(0)} 55%, ${themed("canvas")})`;
  context.lineWidth = 0.5;
  for (const { corners, high } of piecesOf(grid, corner)) {
    context.fillStyle = shades[Math.min(SHADES - 1, Math.floor(high * SHADES))];
    context.beginPath();
    for (const [x, y] of corners) context.lineTo(x, y);
    context.closePath();
    context.fill();
    context.stroke();
  }
  paintNames(context, place);
  if (pair) paintEllipses(context, place, joint, pair);
}

// The pieces between four corners each, the farthest first.
function piecesOf(grid, corner) {
  const pieces = [];
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++) {
      const around = [[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]];
      const corners = around.map(([c, r]) => corner(c, r));
      pieces.push({ corners, high: Math.max(...around.map(([c, r]) => grid[r][c])), deep: corners.reduce((sum, [, , deep]) => sum + deep, 0) });
    }
  }
  return pieces.sort((a, b) => b.deep - a.deep);
}

function paintNames(context, place) {
  context.fillStyle = themed("ink");
  context.fillText("x", ...place([0, -0.56, BASE]).slice(0, 2));
  context.fillText("y", ...place([-0.56, 0, BASE]).slice(0, 2));
}

// One, two and three standard deviations out the density is e^(−½), e^(−2) and e^(−4.5) of its peak.
function paintEllipses(context, place, { edges }, pair) {
  context.strokeStyle = css(4);
  for (const deviations of [1, 2, 3]) {
    const high = BASE + TALL * Math.exp(-0.5 * deviations * deviations);
    context.lineWidth = 2.5 - 0.5 * deviations;
    context.beginPath();
    for (const spot of ellipseOf([0, 0], covarianceOf(pair), deviations)) {
      const [x, y] = spot.map((value, axis) => (value - edges[axis][0]) / (edges[axis][1] - edges[axis][0]) - 0.5);
      context.lineTo(...place([x, y, high]).slice(0, 2));
    }
    context.stroke();
  }
}
