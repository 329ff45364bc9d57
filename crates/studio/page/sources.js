// Independent sources, mixed and whitened: what becomes of the shape of each variable.

/**
 * @typedef {"bell"|"flat"} Shape
 *   a Gaussian or a uniform law, of mean zero and deviation one
 */

const ROOT_3 = Math.sqrt(3);
/** Shares of a source below this leave no trace in a picture. */
const NONE = 1e-9;
/** Beyond so many deviations a bell is not looked at. */
const FAR = 9;
const STEPS = 4000;

/** Pairs of independent sources. */
export const SOURCES = {
  "Gaussian and uniform": { shapes: ["bell", "flat"], summary: "A Gaussian and a uniform source, each with its own shape on its side. Mixed and made white, both sides look more like the bell (dashed)." },
  "two uniforms": { shapes: ["flat", "flat"], summary: "Two uniform sources fill a square. Mixed and made white it is turned, and each side is a sum of two: less flat, more like the bell (dashed)." },
  "two Gaussians": { shapes: ["bell", "bell"], summary: "Two Gaussian sources look the same from every side: however they are mixed, once white nothing tells how." },
};

const bell = (z) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
const flat = (z) => (Math.abs(z) <= ROOT_3 ? 0.5 / ROOT_3 : 0);

/** A law with how far it reaches to either side. */
const law = (density, reach) => ({ density, reach });

const LAWS = { bell: law(bell, FAR), flat: law(flat, ROOT_3) };

// P(Z ≤ z) of the normal law, to seven digits (Abramowitz and Stegun 7.1.26).
function below(z) {
  const t = 1 / (1 + (0.3275911 * Math.abs(z)) / Math.SQRT2);
  const tail = 0.5 * t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429)))) * Math.exp(-0.5 * z * z);
  return z > 0 ? 1 - tail : tail;
}

/**
 * What whitening leaves of a mixing matrix A: the orthogonal (AAᵀ)^(−½)·A; nothing where A loses a source.
 * @param {number[][]} mixing
 */
export function whitened([[a, b], [c, d]]) {
  const determinant = a * d - b * c;
  const scale = Math.hypot(a, b, c, d);
  if (!(Math.abs(determinant) > 1e-6 * scale * scale)) return null;
  // For two rows the orthogonal factor is A plus its matrix of cofactors, by the sign of the determinant.
  const sign = Math.sign(determinant);
  const [cos, sin] = [a + sign * d, c - sign * b];
  const long = Math.hypot(cos, sin);
  return [[cos / long, (-sign * sin) / long], [sin / long, (sign * cos) / long]];
}

/** The law of a·s + b·t for independent sources s and t of these shapes, where a² + b² = 1. */
export function summed([first, second], [a, b]) {
  const [p, q] = [Math.abs(a), Math.abs(b)];
  if (p < NONE) return LAWS[second];
  if (q < NONE) return LAWS[first];
  if (first === "bell" && second === "bell") return LAWS.bell;
  if (first === second) {
    // Two boxes make a trapezium.
    const [wide, narrow] = [ROOT_3 * Math.max(p, q), ROOT_3 * Math.min(p, q)];
    return law((z) => Math.max(0, Math.min(wide + narrow - Math.abs(z), 2 * narrow)) / (4 * wide * narrow), wide + narrow);
  }
  const [round, half] = first === "bell" ? [p, ROOT_3 * q] : [q, ROOT_3 * p];
  return law((z) => (below((z + half) / round) - below((z - half) / round)) / (2 * half), FAR);
}

/** How far a law of deviation one is from the normal one: ½·ln(2πe) minus its entropy, in nats. */
export function negentropy({ density, reach }) {
  const step = (2 * reach) / STEPS;
  let entropy = 0;
  for (let cell = 0; cell < STEPS; cell++) {
    const p = density(-reach + (cell + 0.5) * step);
    if (p > 0) entropy -= p * Math.log(p) * step;
  }
  return 0.5 * Math.log(2 * Math.PI * Math.E) - entropy;
}

/**
 * Sources before and after: the law on each side, its negentropy, and the joint density on a grid.
 * @param {{shapes: Shape[], mixing: number[][]}} wanted
 */
export function mixed({ shapes, mixing }, reach, cells = 161) {
  const turn = whitened(mixing);
  if (!turn) return null;
  const sides = [[[1, 0], [0, 1]], turn].map((weights) => weights.map((row) => {
    const found = summed(shapes, row);
    return { law: found.density, negentropy: Math.max(0, negentropy(found)) };
  }));
  const joints = [[[1, 0], [0, 1]], turn].map((rotation) => jointOf(shapes, rotation, reach, cells));
  return { sides, joints, turn };
}

// An orthogonal matrix is undone by its transpose.
function jointOf([first, second], [[a, b], [c, d]], reach, cells) {
  const edges = [[-reach, reach], [-reach, reach]];
  const middle = (cell) => -reach + (2 * reach * (cell + 0.5)) / cells;
  const values = new Float64Array(cells * cells);
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const [x, y] = [middle(column), middle(cells - 1 - row)];
      values[row * cells + column] = LAWS[first].density(a * x + c * y) * LAWS[second].density(b * x + d * y);
    }
  }
  return { edges, cells: [cells, cells], density: values };
}
