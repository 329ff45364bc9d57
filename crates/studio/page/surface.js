// A density of two variables as a surface over the plane, which one turns.

import { ellipseOf } from "./ellipse.js";
import { covarianceOf } from "./joint.js";
import { css, themed } from "./palette.js";
import { projection } from "./space.js";

const SIDE = 56;
const TALL = 0.62;
const BASE = -0.2;
// The ground lies deeper than the surface, so that what is drawn on it is seen.
const GROUND = -0.42;
const SHADES = 24;

/** The density on a coarser grid, from nothing to one. */
function heights({ cells: [wide, tall], density }) {
  const most = density.reduce((high, value) => Math.max(high, value), 0) || 1;
  return Array.from({ length: SIDE + 1 }, (_, row) => Array.from({ length: SIDE + 1 }, (_, column) => {
    const [x, y] = [Math.min(wide - 1, Math.round((column / SIDE) * (wide - 1))), Math.min(tall - 1, Math.round((1 - row / SIDE) * (tall - 1)))];
    return density[y * wide + x] / most;
  }));
}

/** The surface, with the ellipses of a Gaussian pair on the ground below it. */
export function paintSurface(context, width, height, joint, pair) {
  const place = projection(width, height, 0.82);
  const grid = heights(joint);
  const corner = (column, row) => place([column / SIDE - 0.5, row / SIDE - 0.5, BASE + TALL * grid[row][column]]);
  paintGround(context, place, joint, pair);
  const shades = Array.from({ length: SHADES }, (_, shade) => `color-mix(in srgb, ${css(0)} ${12 + (76 * shade) / SHADES}%, ${themed("canvas")})`);
  const edge = `color-mix(in srgb, ${css(0)} 70%, ${themed("ink")})`;
  const pieces = [];
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; column++) {
      const high = Math.max(grid[row][column], grid[row + 1][column + 1], grid[row][column + 1], grid[row + 1][column]);
      if (high < 0.003) continue;
      const corners = [[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]].map(([c, r]) => corner(c, r));
      pieces.push({ corners, high, deep: corners.reduce((sum, [, , deep]) => sum + deep, 0) });
    }
  }
  pieces.sort((a, b) => b.deep - a.deep);
  context.lineWidth = 0.5;
  for (const { corners, high } of pieces) {
    context.fillStyle = shades[Math.min(SHADES - 1, Math.floor(high * SHADES))];
    context.strokeStyle = edge;
    context.beginPath();
    for (const [x, y] of corners) context.lineTo(x, y);
    context.closePath();
    context.fill();
    context.stroke();
  }
}

function paintGround(context, place, { edges }, pair) {
  const onGround = ([x, y]) => place([...[x, y].map((value, axis) => (value - edges[axis][0]) / (edges[axis][1] - edges[axis][0]) - 0.5), GROUND]);
  const path = (places) => {
    context.beginPath();
    for (const spot of places) context.lineTo(...onGround(spot).slice(0, 2));
    context.closePath();
    context.stroke();
  };
  const [[left, right], [bottom, top]] = edges;
  context.strokeStyle = themed("line");
  path([[left, bottom], [right, bottom], [right, top], [left, top]]);
  context.fillStyle = themed("faint");
  context.fillText("x", ...onGround([right, bottom]).slice(0, 2).map((value) => value + 8));
  context.fillText("y", ...onGround([left, top]).slice(0, 2).map((value) => value - 8));
  if (!pair) return;
  context.strokeStyle = css(4);
  context.lineWidth = 1.5;
  for (const deviations of [1, 2, 3]) path(ellipseOf([0, 0], covarianceOf(pair), deviations));
}
