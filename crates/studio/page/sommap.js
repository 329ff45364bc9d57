// The view of a self-organising map: the mesh as it unfolds over the data, and the neighbourhood of a winner.

import { frame, line } from "./dynamicsview.js";
import { rows } from "./matrix.js";
import { css, themed } from "./palette.js";
import { sharp } from "./parts.js";
import { random } from "./scenes/points.js";

const COUNT = 400;

/** The data that the map unfolds over. */
export function dataOf({ data, seed }) {
  const { uniform, normal } = random(seed);
  const makers = {
    square: () => [2 * uniform() - 1, 2 * uniform() - 1],
    ring: () => {
      const [angle, far] = [2 * Math.PI * uniform(), 0.85 + 0.06 * normal()];
      return [far * Math.cos(angle), far * Math.sin(angle)];
    },
    arc: () => {
      const angle = Math.PI * uniform();
      return [Math.cos(angle) + 0.07 * normal(), 1.6 * Math.sin(angle) - 0.8 + 0.07 * normal()];
    },
  };
  return Array.from({ length: COUNT }, makers[data]);
}

const shapeOf = ({ grid, nodes }) => (grid === "line" ? [1, nodes * 3] : [nodes, nodes]);

function parameters(values) {
  const [grid_rows, grid_columns] = shapeOf(values);
  return { grid_rows, grid_columns, topology: values.grid === "hexagonal" ? "hexagonal" : "rectangular", training: values.training, epochs: 40, max_iter: Math.max(1, values.pass), init: "random", random_state: values.seed };
}

// The place that is shown as an input, in the middle of the data unless one was clicked.
const inputOf = ({ x1, x2 }) => [x1, x2];

const question = (values) => ["/api/fit", { spec: [{ algorithm: "som", parameters: parameters(values) }], rows: [...dataOf(values), inputOf(values)], train: [...Array(COUNT).fill(true), false], classes: [] }];

const valueOf = ({ attributes }, name) => attributes.find((one) => one.name === name)?.value;

/** The node that wins the shown input, as the server says. */
export const winnerOf = ({ points }) => points.clusters.at(-1);

function paintMesh(canvas, answer, values) {
  const [context, width, height] = sharp(canvas);
  const reach = 1.35;
  const wide = (reach * (width - 44)) / (height - 40);
  const place = frame(context, width, height, [-wide, wide], [-reach, reach], "x₁", "x₂");
  context.fillStyle = themed("faint");
  context.globalAlpha = 0.5;
  for (const row of dataOf(values)) {
    const [x, y] = place(row);
    context.fillRect(x - 1.5, y - 1.5, 3, 3);
  }
  context.globalAlpha = 1;
  const { points: weights, edges } = answer.figures.find(({ name }) => name === "mesh").shape;
  const points = rows(weights);
  context.strokeStyle = css(0);
  context.lineWidth = 1.8;
  for (const [from, to] of edges) line(context, [place(points[from]), place(points[to])]);
  const positions = valueOf(answer, "positions");
  const winner = winnerOf(answer);
  points.forEach((spot, node) => {
    const far = Math.hypot(...positions[node].map((part, axis) => part - positions[winner][axis]));
    // How much the node follows the winner, e^(−r²/2σ²).
    const follows = Math.exp(-(far * far) / (2 * values.sigma * values.sigma));
    context.beginPath();
    context.arc(...place(spot), 2.5 + 4 * follows, 0, 2 * Math.PI);
    context.fillStyle = css(1, 0.25 + 0.75 * follows);
    context.fill();
    context.strokeStyle = themed("ink");
    context.lineWidth = node === winner ? 2.5 : 0.6;
    context.stroke();
  });
  const [x, y] = place(inputOf(values));
  context.strokeStyle = css(4);
  context.lineWidth = 2.5;
  line(context, [[x - 6, y - 6], [x + 6, y + 6]]);
  line(context, [[x + 6, y - 6], [x - 6, y + 6]]);
}

/** The place of the mesh's picture that lies at some pixels. */
function placeAt(canvas, [x, y]) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const wide = (1.35 * (width - 44)) / (height - 40);
  return [(2 * (x - 34)) / (width - 44) - 1, (2 * (height - 26 - y)) / (height - 40) - 1].map((share, axis) => Number((share * (axis ? 1.35 : wide)).toFixed(3)));
}

/** The view of a self-organising map. */
export const somView = {
  called: "a self-organising map",
  summary: "Each input draws the nearest node and, less, its neighbours on the grid towards itself: wᵏ ← wᵏ + η·h·(x − wᵏ). Step through the passes; click to choose the input (×) whose winner and neighbourhood are shown.",
  controls: [
    { name: "grid", called: "grid", value: "rectangular", options: [["rectangular", "plane of squares"], ["hexagonal", "plane of hexagons"], ["line", "line"]] },
    { name: "nodes", called: "nodes a side", value: 7, low: 2, high: 12, whole: true },
    { name: "data", called: "data", value: "square", options: [["square", "uniform square"], ["ring", "ring"], ["arc", "arc"]] },
    { name: "training", called: "learns", value: "online", options: [["online", "input by input"], ["batch", "all at once"]] },
    { name: "pass", called: "passes", value: 40, low: 1, high: 40, whole: true },
    { name: "sigma", called: "width σ shown", value: 1, low: 0.3, high: 4 },
    { name: "x1", called: "input x₁", value: 0.4, low: -1, high: 1 },
    { name: "x2", called: "input x₂", value: 0.3, low: -1, high: 1 },
    { name: "seed", called: "draw", value: 1, low: 1, high: 20, whole: true },
  ],
  panes: [{
    label: "The mesh over the data; orange nodes follow the winner (ringed)",
    tall: 420,
    paint: paintMesh,
    click: (pixels, lab, canvas) => {
      const [x1, x2] = placeAt(canvas, pixels);
      lab.set({ x1, x2 });
    },
  }],
  question,
  words: (answer, { pass }) => `After ${pass} of 40 passes the data lie ${valueOf(answer, "quantization_error").toFixed(3)} from their winners on average; `
    + `for ${(100 * valueOf(answer, "topographic_error")).toFixed(1)} % the two nearest nodes do not touch on the grid. The input is won by node ${winnerOf(answer) + 1}.`,
};
