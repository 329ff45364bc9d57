// Two sources, mixed by a matrix, made white, and turned back: everything that can be found without knowing the matrix.

import { random } from "./scenes/points.js";

const ROOT_3 = Math.sqrt(3);
/** A mixture whose determinant is smaller, measured by its entries, loses a source. */
const SINGULAR = 1e-6;

/**
 * @typedef {{kind: "scatter"|"pictures"|"sounds", values: Float64Array[], bounds?: number, wide?: number, rate?: number}} Sources
 *   two lists of equal length, of mean zero and deviation one; within plus and minus the bounds where they have some
 */

/** Things to mix, each with what it is called. */
export const KINDS = {
  square: { words: "a square of points", make: () => scatter(([u, v]) => [ROOT_3 * (2 * u - 1), ROOT_3 * (2 * v - 1)], 1500, ROOT_3), mixing: [[2, 3], [2, 1]] },
  corners: { words: "four corners", make: () => ({ kind: "scatter", bounds: 1, values: [Float64Array.of(-1, -1, 1, 1), Float64Array.of(-1, 1, -1, 1)] }), mixing: [[1, 1], [1, 1]] },
  pictures: { words: "two pictures", make: pictures, mixing: [[0.8, -0.5], [0.6, 0.7]] },
  sounds: { words: "two sounds", make: sounds, mixing: [[0.7, -0.6], [0.5, 0.8]] },
};

function scatter(place, count, bounds) {
  const rng = random(77);
  const points = Array.from({ length: count }, () => place([rng.uniform(), rng.uniform()]));
  return { kind: "scatter", bounds, values: [0, 1].map((axis) => Float64Array.from(points, (point) => point[axis])) };
}

// Rings beside a board: what one is says nothing about the other.
function pictures() {
  const side = 96;
  const at = (height) => Float64Array.from({ length: side * side }, (_, pixel) => height(pixel % side, Math.floor(pixel / side)));
  const rings = at((x, y) => Math.sign(Math.sin(Math.hypot(x - 40, y - 52) / 3.2)) * 0.5 + 0.5);
  const board = at((x, y) => ((Math.floor(x / 17) + Math.floor(y / 13)) % 2) * 0.8 + 0.2 * (x / side));
  return { kind: "pictures", wide: side, values: [rings, board].map(standardised) };
}

function sounds() {
  const [rate, seconds] = [8000, 1.5];
  const times = Array.from({ length: rate * seconds }, (_, index) => index / rate);
  const saw = Float64Array.from(times, (t) => 2 * ((t * 196) % 1) - 1);
  const siren = Float64Array.from(times, (t) => Math.sin(2 * Math.PI * (520 * t + 28 * Math.sin(2 * Math.PI * 2 * t))));
  return { kind: "sounds", rate, values: [saw, siren].map(standardised) };
}

/** A list of mean zero and deviation one. */
export function standardised(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) || 1;
  return values.map((value) => (value - mean) / deviation);
}

/** The mixtures: the first row of the matrix makes the first of them. */
export const mixed = ([[a, b], [c, d]], [s, t]) => [s.map((value, index) => a * value + b * t[index]), s.map((value, index) => c * value + d * t[index])];

/** Whether a matrix loses a source: its rows are multiples of each other. */
export function isSingular([[a, b], [c, d]]) {
  return Math.abs(a * d - b * c) <= SINGULAR * (a * a + b * b + c * c + d * d);
}

/** Where a matrix puts the corners of the square between plus and minus the bounds, around. */
export const corners = ([[a, b], [c, d]], bounds) => [[1, 1], [-1, 1], [-1, -1], [1, -1]].map(([u, v]) => [bounds * (a * u + b * v), bounds * (c * u + d * v)]);

/** The entries xx, xy, yy of the covariance of two lists of mean zero. */
export function covariance([x, y]) {
  const mean = (of) => x.reduce((sum, _, index) => sum + of(index), 0) / x.length;
  return [mean((index) => x[index] ** 2), mean((index) => x[index] * y[index]), mean((index) => y[index] ** 2)];
}

/** The symmetric root of the inverse covariance, which makes the mixtures white; nothing where they are one. */
export function whitener(mixtures) {
  const [xx, xy, yy] = covariance(mixtures);
  const determinant = xx * yy - xy * xy;
  if (!(determinant > SINGULAR * (xx + yy) ** 2)) return null;
  // For two rows C^(−½) = (C⁻¹ + I/√|C|) / √(trace C⁻¹ + 2/√|C|).
  const root = Math.sqrt(determinant);
  const long = Math.sqrt((xx + yy) / determinant + 2 / root);
  return [[(yy / determinant + 1 / root) / long, -xy / determinant / long], [-xy / determinant / long, (xx / determinant + 1 / root) / long]];
}

export const product = ([[a, b], [c, d]], [[e, f], [g, h]]) => [[a * e + b * g, a * f + b * h], [c * e + d * g, c * f + d * h]];

/** White lists turned by an angle. */
export const turned = (angle, white) => mixed([[Math.cos(angle), Math.sin(angle)], [-Math.sin(angle), Math.cos(angle)]], white);

/** How far a list is from a bell: its fourth moment beside that of a Gaussian of the same deviation. */
export function kurtosis(values) {
  let [second, fourth] = [0, 0];
  for (const value of values) {
    const square = value * value;
    second += square;
    fourth += square * square;
  }
  return (fourth * values.length) / (second * second || 1) - 3;
}

/** How far both lists are from a bell after a turn: the sum of the squares of their kurtoses. */
export const unlikeness = (angle, white) => turned(angle, white).reduce((sum, list) => sum + kurtosis(list) ** 2, 0);

/**
 * The angles that the fixed point rule for the fourth moment goes through, w ← E[z(wᵀz)³] − 3w, until it stands still.
 * @param {Float64Array[]} white
 */
export function search(white, start, most = 30) {
  const angles = [start];
  for (let round = 0; round < most; round++) {
    const [u, v] = [Math.cos(angles.at(-1)), Math.sin(angles.at(-1))];
    let [x, y] = [-3 * u, -3 * v];
    for (let index = 0; index < white[0].length; index++) {
      const cube = (u * white[0][index] + v * white[1][index]) ** 3 / white[0].length;
      x += white[0][index] * cube;
      y += white[1][index] * cube;
    }
    let angle = Math.atan2(y, x);
    // The same axis in the other direction is the same: the nearer of both is taken.
    while (angle - angles.at(-1) > Math.PI / 2) angle -= Math.PI;
    while (angle - angles.at(-1) < -Math.PI / 2) angle += Math.PI;
    angles.push(angle);
    if (Math.abs(angle - angles.at(-2)) < 1e-6) break;
  }
  return angles;
}

/** The correlation of two lists. */
export function correlation(x, y) {
  const [a, b] = [standardised(x), standardised(y)];
  return a.reduce((sum, value, index) => sum + value * b[index], 0) / a.length;
}

/**
 * Which of the lists is which source, by the largest correlations, with its sign.
 * @returns {{source: number, correlation: number}[]} for each list
 */
export function matched(lists, sources) {
  const table = lists.map((list) => sources.map((source) => correlation(list, source)));
  const straight = Math.abs(table[0][0]) + Math.abs(table[1][1]) >= Math.abs(table[0][1]) + Math.abs(table[1][0]);
  return table.map((row, index) => {
    const source = straight ? index : 1 - index;
    return { source, correlation: row[source] };
  });
}

/** The lists in the order and with the signs of the sources that they are. */
export function inPlace(lists, sources) {
  const found = matched(lists, sources);
  const placed = [];
  found.forEach(({ source, correlation: along }, index) => {
    placed[source] = along < 0 ? lists[index].map((value) => -value) : lists[index];
  });
  return placed;
}
