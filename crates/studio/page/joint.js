// Densities of two variables on a grid: each variable on its own, and where the other is known.

/**
 * @typedef {{edges: number[][], cells: number[], density: Float64Array}} Joint
 *   from where to where each variable goes, the number of cells along each, and the density in the
 *   middle of each cell, row by row from the top left
 * @typedef {{places: number[], heights: number[]}} Curve
 */

const ROOT_3 = Math.sqrt(3);
const bell = (z) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);
// A uniform law of deviation one reaches √3 to either side.
const flat = (z) => (Math.abs(z) <= ROOT_3 ? 0.5 / ROOT_3 : 0);

/** Laws of two variables about zero, by their deviations and, where they have one, their correlation. */
export const PAIRS = {
  Gaussian: {
    summary: "Two Gaussian variables: ellipses of one, two and three standard deviations. Without correlation and with equal deviations every direction is alike.",
    correlated: true,
    density: ([x, y], correlation) => {
      const rest = Math.sqrt(1 - correlation * correlation);
      return (bell(x) * bell((y - correlation * x) / rest)) / rest;
    },
  },
  "two uniforms": {
    summary: "Two independent uniform variables fill a rectangle evenly: knowing one says nothing about the other.",
    density: ([x, y]) => flat(x) * flat(y),
  },
  "Gaussian and uniform": {
    summary: "An independent Gaussian and a uniform variable: each keeps its own shape on its side.",
    density: ([x, y]) => bell(x) * flat(y),
  },
};

/** The entries xx, xy, yy of the covariance of a pair. */
export const covarianceOf = ({ deviations: [a, b], correlation }) => [a * a, a * b * correlation, b * b];

/** A pair on a grid that reaches so far to the sides and up and down. */
export function pairJoint({ law, deviations: [a, b], correlation }, [across, up], cells = 161) {
  const edges = [[-across, across], [-up, up]];
  const density = new Float64Array(cells * cells);
  for (let row = 0; row < cells; row++) {
    for (let column = 0; column < cells; column++) {
      const [x, y] = [middle(edges[0], cells, column), middle(edges[1], cells, cells - 1 - row)];
      density[row * cells + column] = PAIRS[law].density([x / a, y / b], correlation) / (a * b);
    }
  }
  return { edges, cells: [cells, cells], density };
}

/** The log-densities of a model all over the picture, as a joint density. */
export function modelJoint(values, { width, height }, { left, right, bottom, top }) {
  return { edges: [[left, right], [bottom, top]], cells: [width, height], density: Float64Array.from(values, (value) => (Number.isFinite(value) ? Math.exp(value) : 0)) };
}

const middle = ([low, high], cells, cell) => low + ((high - low) * (cell + 0.5)) / cells;

const at = ({ cells: [wide, tall], density }, column, row) => density[(tall - 1 - row) * wide + column];

/** A variable (0 across, 1 up) on its own: the joint density summed over the other. */
export function marginal(joint, variable) {
  const [own, other] = [joint.cells[variable], joint.cells[1 - variable]];
  const sums = Array.from({ length: own }, (_, cell) => {
    let sum = 0;
    for (let along = 0; along < other; along++) sum += variable === 0 ? at(joint, cell, along) : at(joint, along, cell);
    return sum;
  });
  return curve(joint, variable, sums);
}

/** A variable where the other has this value: the slice of the joint density, made to have area one. */
export function conditional(joint, variable, value) {
  const [low, high] = joint.edges[1 - variable];
  const count = joint.cells[1 - variable];
  const along = Math.max(0, Math.min(count - 1, Math.floor(((value - low) / (high - low)) * count)));
  return curve(joint, variable, Array.from({ length: joint.cells[variable] }, (_, cell) => (variable === 0 ? at(joint, cell, along) : at(joint, along, cell))));
}

function curve({ edges, cells }, variable, heights) {
  const step = (edges[variable][1] - edges[variable][0]) / cells[variable];
  const area = heights.reduce((sum, height) => sum + height, 0) * step;
  return {
    places: heights.map((_, cell) => middle(edges[variable], cells[variable], cell)),
    heights: heights.map((height) => (area ? height / area : 0)),
  };
}

/** Mean and standard deviation of a curve. */
export function moments({ places, heights }) {
  const total = heights.reduce((sum, height) => sum + height, 0) || 1;
  const mean = places.reduce((sum, place, cell) => sum + place * heights[cell], 0) / total;
  const variance = places.reduce((sum, place, cell) => sum + (place - mean) ** 2 * heights[cell], 0) / total;
  return { mean, deviation: Math.sqrt(variance) };
}

/** Mean and deviation of a Gaussian variable where the other is known: μ + ρ·σ/σ′·(value − μ′), σ·√(1 − ρ²). */
export function gaussianConditional({ deviations, correlation }, variable, value) {
  const [own, other] = [deviations[variable], deviations[1 - variable]];
  return { mean: ((correlation * own) / other) * value, deviation: own * Math.sqrt(1 - correlation * correlation) };
}
