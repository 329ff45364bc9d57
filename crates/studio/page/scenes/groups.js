// Scenes that find groups.

import { blob, curve, moon, random, ring, step, three } from "./points.js";

export const GROUPS = [
  {
    id: "k-means-bad-start", title: "k-means stuck in a bad start", task: "clustering",
    lesson: "Two centres start in one cloud and one between the other two; it stays there. Step through it, then choose init k-means++.",
    steps: [step("k-means", { n_clusters: 3, init_centers: [[-4.5, -2], [-3.5, -2], [2, 1]] })],
    points: () => three(6), classes: ["A", "B", "C"],
  },
  {
    id: "k-means-good-start", title: "k-means from a good start", task: "clustering",
    lesson: "k-means++ spreads the first centres out; a few iterations are enough. Play them.",
    steps: [step("k-means", { n_clusters: 3 })],
    points: () => three(6), classes: ["A", "B", "C"],
  },
  {
    id: "k-means-run", title: "Three steps of k-means", task: "clustering",
    lesson: "Two centres start in one cloud (rings). Step from the start: after one iteration one of them is half way, after two each cloud has its own, and the third changes nothing.",
    steps: [step("k-means", { n_clusters: 3, init_centers: [[-4.6, -2.3], [-3.2, -1.6], [-1, 5]] })],
    points: () => three(6), classes: ["A", "B", "C"],
  },
  {
    id: "unbalanced-k-means", title: "k-means cuts a large cloud", task: "clustering",
    lesson: "The border lies half way between the centres, so the small cloud takes the edge of the large one. Choose gaussian-mixture for the cure, or predicted colours to see which points go wrong.",
    steps: [step("k-means", { n_clusters: 2 })],
    points: () => { const rng = random(8); return [...blob(rng, 150, [-2.5, 0], [2, 2], 0), ...blob(rng, 60, [3, 0], [0.4, 0.4], 1)]; },
  },
  {
    id: "elongated-k-means", title: "k-means cuts long clouds in half", task: "clustering",
    lesson: "It knows only distance to a centre, so long clouds are cut across. Open the next scene for the cure.",
    steps: [step("k-means", { n_clusters: 2 })],
    points: () => { const rng = random(7); return [...blob(rng, 90, [0, 1.3], [3.2, 0.35], 0), ...blob(rng, 90, [0, -1.3], [3.2, 0.35], 1)]; },
  },
  {
    id: "elongated-mixture", title: "A mixture follows long clouds", task: "clustering",
    lesson: "A Gaussian mixture learns the shape of each cloud; the ellipses are one and two standard deviations. Play the iterations.",
    steps: [step("gaussian-mixture", { n_components: 2, init_params: "random", n_init: 10, tol: 1e-6 })],
    points: () => { const rng = random(7); return [...blob(rng, 90, [0, 1.3], [3.2, 0.35], 0), ...blob(rng, 90, [0, -1.3], [3.2, 0.35], 1)]; },
  },
  {
    id: "unequal-spreads", title: "Clouds of unequal spread", task: "clustering",
    lesson: "The border of k-means lies half way between the centres; a mixture gives the wide cloud what belongs to it. Switch between the two.",
    steps: [step("gaussian-mixture", { n_components: 2, covariance_type: "spherical" })],
    points: () => { const rng = random(8); return [...blob(rng, 150, [-2.5, 0], [2, 2], 0), ...blob(rng, 60, [3, 0], [0.4, 0.4], 1)]; },
  },
  {
    id: "single-link-chain", title: "A bridge of points", task: "clustering",
    lesson: "Single linkage follows chains: a few points between two clouds join them long before the stray points at the edge. Choose linkage ward or complete and drag the cut of the tree.",
    steps: [step("agglomerative", { n_clusters: 2, linkage: "single" })],
    points: () => { const rng = random(21); return [...blob(rng, 60, [-4, 0], [0.8, 0.8], 0), ...blob(rng, 60, [4, 0], [0.8, 0.8], 1), ...curve(rng, 12, -3, 3, () => 0, 0.15)]; },
  },
  {
    id: "ward-tree", title: "Cut the tree where you like", task: "clustering",
    lesson: "The tree holds every number of clusters at once. Drag the dashed cut: long branches mean that the groups below them are far apart.",
    steps: [step("agglomerative", { n_clusters: 3, linkage: "ward" })],
    points: () => three(22), classes: ["A", "B", "C"],
  },
  {
    id: "link-distances", title: "How far apart are two groups?", task: "clustering",
    lesson: "Single linkage asks the nearest two points, complete linkage the farthest, centroid linkage the means, average linkage all pairs. Drag a point and watch which distance changes.",
    steps: [step("agglomerative", { n_clusters: 2, linkage: "average" })], layers: { links: true, map: false },
    points: () => { const rng = random(36); return [...blob(rng, 9, [-2.6, -0.4], [0.8, 0.9], 0), ...blob(rng, 11, [2.6, 0.6], [0.9, 0.8], 1)]; },
  },
  {
    id: "dbscan-moons", title: "Density finds moons and leaves noise", task: "clustering",
    lesson: "A cluster is a region that is dense throughout, of any shape; lonely points belong to none. The balls have the radius eps around rows with enough neighbours: move eps.",
    steps: [step("dbscan", { eps: 0.7, min_samples: 5 })],
    points: () => {
      const rng = random(23);
      const strays = Array.from({ length: 25 }, () => [[12 * rng.uniform() - 5, 9 * rng.uniform() - 4], null, null]);
      return [...moon(rng, 110, false, 0, 0.15), ...moon(rng, 110, true, 1, 0.15), ...strays];
    },
  },
  {
    id: "dbscan-elongated", title: "The radius in between", task: "clustering",
    lesson: "On two long clouds a large eps joins them and a small one breaks them up; in between they are found. RSS prefers the wrong answers: it only counts distances to the means.",
    steps: [step("dbscan", { eps: 0.9, min_samples: 5 })],
    points: () => { const rng = random(7); return [...blob(rng, 90, [0, 1.3], [3.2, 0.35], 0), ...blob(rng, 90, [0, -1.3], [3.2, 0.35], 1)]; },
  },
  {
    id: "nested-rings", title: "Rings inside each other", task: "clustering",
    lesson: "Both rings have the same mean, so every method that measures distance to a centre fails. Single linkage walks along each ring; try k-means for comparison.",
    steps: [step("agglomerative", { n_clusters: 2, linkage: "single" })],
    points: () => { const rng = random(24); return [...ring(rng, 150, 4.5, 0.12, 0), ...ring(rng, 80, 2, 0.12, 1)]; },
  },
  {
    id: "how-many-groups", title: "How many groups are there?", task: "clustering",
    lesson: "More clusters always lower RSS. Press How many groups? with each rule and see where they agree.",
    steps: [step("k-means", { n_clusters: 2 })],
    points: () => { const rng = random(25); return [[-4, 3], [4, 3], [-4, -3], [4, -3]].flatMap((centre, k) => blob(rng, 45, centre, [0.9, 0.9], k)); }, classes: ["A", "B", "C", "D"],
  },
  {
    id: "soft-k-means", title: "Soft borders, stiff borders", task: "clustering",
    lesson: "Every point belongs a little to every centre. Draw small multiples of stiffness: the stiffer, the sharper the borders, until it is k-means.",
    steps: [step("soft-k-means", { n_clusters: 3, stiffness: 0.5 })],
    points: () => three(6), classes: ["A", "B", "C"],
  },
  {
    id: "norms", title: "What near means", task: "clustering",
    lesson: "The borders lie half way between the centres, as the metric measures it: straight for Euclid, broken for others. Draw small multiples of metric.",
    steps: [step("metric-k-means", { n_clusters: 3, metric: "manhattan" })],
    points: () => three(31), classes: ["A", "B", "C"],
  },
  {
    id: "seeds", title: "Another start, another answer", task: "clustering",
    lesson: "k-means ends where its start leads it. Press the die below, or draw small multiples of random_state, and compare RSS.",
    steps: [step("k-means", { n_clusters: 5, init: "random", n_init: 1 })],
    points: () => { const rng = random(32); return [[-4, 3], [0, 3.4], [4, 3], [-2, -2], [2.4, -2.4]].flatMap((centre, k) => blob(rng, 32, centre, [0.8, 0.8], k)); }, classes: ["A", "B", "C", "D", "E"],
  },
  {
    id: "known-classes", title: "No, few or all classes known", task: "clustering",
    lesson: "Without a known class (0 %) groups are all that can be found; with a few, F₁ says how well they agree with the classes; with all of them one may as well learn the classes. Move known classes below.",
    steps: [step("k-means", { n_clusters: 2 })], known: 10,
    points: () => { const rng = random(37); return [...blob(rng, 50, [-2.4, -1], [0.9, 0.9], 0), ...blob(rng, 50, [2.2, 1.1], [0.9, 0.9], 1)]; },
  },
  {
    id: "few-labels", title: "Two groups, six known classes", task: "clustering",
    lesson: "Each group has six points; two of the first and four of the second have a known class. F₁ weighs both: 2/6 · 0.5 + 4/6 · 0.8 = 0.7, because points without a class count as strangers. Give more points their class with Relabel.",
    steps: [step("k-means", { n_clusters: 2 })],
    points: () => [[-3, 2], [2, 4]].flatMap(([x, known], k) => Array.from({ length: 6 }, (_, i) => [[x + 0.8 * Math.cos(i), 0.8 * Math.sin(i)], i < known ? k : null, null])),
  },
  {
    id: "covariance-shapes", title: "Round, upright and slanted Gaussians", task: "clustering",
    lesson: "The lines of equal density are circles (spherical), ellipses along the axes (diag) or ellipses of any slant (full). Draw small multiples of covariance_type.",
    steps: [step("gaussian-mixture", { n_components: 1 })], layers: { marginals: true },
    points: () => blob(random(38), 200, [0, 0], [2.4, 0.7], 0, 0.6),
  },
  {
    id: "uniform-square", title: "An even square", task: "clustering",
    lesson: "Two independent uniform variables of variance one fill a square; each side shows one of them. A Gaussian of the same variance misses the corners. Open Distributions for the laws themselves.",
    steps: [step("gaussian-mixture", { n_components: 1 })], layers: { marginals: true },
    points: () => { const rng = random(39); const side = () => Math.sqrt(3) * (2 * rng.uniform() - 1); return Array.from({ length: 900 }, () => [[side(), side()], 0, null]); },
  },
  {
    id: "independent-gaussians", title: "Every direction alike", task: "clustering",
    lesson: "Two independent Gaussian variables of the same variance look the same from every side: the lines of equal density are circles. Turned, they could not be told from before, so no method can find the axes.",
    steps: [step("gaussian-mixture", { n_components: 1 })], layers: { marginals: true },
    points: () => blob(random(40), 900, [0, 0], [1, 1], 0),
  },
];
