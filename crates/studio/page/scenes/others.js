// Scenes that find axes, follow numbers and explain sequences.

import { blob, curve, gestures, mixture, random, step, threeBlobs, twoViews } from "./points.js";

export const OTHERS = [
  {
    id: "pca-against-classes", title: "The widest axis is not the best", task: "transformation",
    lesson: "The first principal axis runs along the clouds and mixes them when projected; the second tells them apart. Look at the projected points.",
    steps: [step("pca", { n_components: 1 })],
    points: () => { const rng = random(9); return [...blob(rng, 80, [-1, 0], [0.35, 3], 0), ...blob(rng, 80, [1, 0], [0.35, 3], 1)]; },
  },
  {
    id: "pca-axes", title: "Principal axes of a slanted cloud", task: "transformation",
    lesson: "The arrows are the principal axes, as long as the spread along them; the lines are those of the Gaussian that goes with them.",
    steps: [step("pca", { n_components: 2 })],
    points: () => blob(random(10), 160, [1, 0], [3, 0.8], 0, 0.6),
  },
  {
    id: "later-component", title: "A later component tells them apart", task: "transformation",
    lesson: "Four handwritten digits of 8×8 pixels on their principal components. The first two, with most variance, mix 5 and 9; choose pca0 against pca2 below and see them part. Variance is no measure of what tells classes apart.",
    steps: [step("pca", { n_components: 6 })], set: { id: "digits", keep: ["4", "5", "7", "9"] }, axes: [20, 36], layers: { map: false, geometry: false },
  },
  {
    id: "mixed-sources", title: "A mixture looks more like a bell", task: "transformation",
    lesson: "A Gaussian and a uniform source, mixed: on neither side is the box of the uniform one left. Whitening takes the slant away and leaves a turn that no covariance shows. Open Distributions, mixed sources: there the negentropy of both sides falls as they mix.",
    steps: [step("pca", { whiten: "zca" })], layers: { marginals: true, map: false },
    points: () => mixture(random(54), [[1, -0.5], [1.2, 0.8]]),
  },
  {
    id: "four-corners", title: "Four corners", task: "transformation",
    lesson: "Two independent coins, each plus or minus one: the covariance is the identity, so every direction has the same spread and no axis is better than another.",
    steps: [step("pca", { n_components: 2 })], zoom: 1.6,
    points: () => [[-1, -1], [-1, 1], [1, -1], [1, 1]].map((corner) => [corner, 0, null]),
  },
  {
    id: "isolines", title: "Isolines of a kernel group the points", task: "transformation",
    lesson: "Kernel PCA of three groups, the two on the right close together. Open Isolines below: with σ = 0.1 the pair is nearly one group, and its two halves lie close together on every projection; with σ = 0.04 the isolines of the second close around each half. Make σ very small: each projection singles out one point or a few.",
    steps: [step("kernel-pca", { kernel: "rbf", gamma: 50, n_components: 2 })], layers: { geometry: false }, classes: ["A", "B", "C"],
    points: () => threeBlobs(7),
  },
  {
    id: "two-views", title: "One cause behind two views", task: "views",
    lesson: "Each person has a face and a voice of two columns each; what both share is small beside what is theirs alone. The arrow w finds it: scaled to end on the ellipse wᵀCw = 1 its variate has variance one, and no length changes the correlation. Use the variates as data for a classifier.",
    steps: [step("cca")], names: ["face 1", "face 2", "voice 1", "voice 2"], split: 2, classes: ["Ada", "Ben", "Cleo"],
    points: () => twoViews(random(53)),
  },
  {
    id: "outlier", title: "One point pulls the line", task: "regression",
    lesson: "Squares weigh far points heavily: drag the lonely point with the Move tool and watch the line follow.",
    steps: [step("linear-regression")],
    points: () => [...curve(random(11), 30, -4, 4, (x) => 0.5 * x, 0.25), [[3.5, -5], 0, null]],
  },
  {
    id: "sinc", title: "A curve by its neighbours", task: "regression",
    lesson: "The mean of the nearest points follows any curve; few neighbours follow the noise too. Move n_neighbors.",
    steps: [step("k-neighbors", { n_neighbors: 8 })],
    points: () => curve(random(12), 140, -9, 9, (x) => (x ? (6 * Math.sin(x)) / x : 6), 0.5),
  },
  {
    id: "thinning", title: "Gaussians carry a curve", task: "regression",
    lesson: "Gaussians of x and y together (ellipses) give a curve with a band that is wide where the points are. Draw small multiples of n_components: more of them follow the wave more closely.",
    steps: [step("gaussian-mixture-regression", { n_components: 4, n_init: 3 })],
    points: () => { const rng = random(33); return Array.from({ length: 220 }, (_, i) => { const x = -6 + (12 * (i + 0.5)) / 220; return [[x, 2 * Math.sin(x) + (0.15 + 0.09 * (x + 6)) * rng.normal()], 0, null]; }); },
  },
  {
    id: "doubt-grows", title: "Doubt grows away from the data", task: "regression",
    lesson: "A Bayesian line is sure where there are points and less so the further one goes: the band widens on both sides. Erase points and watch it widen more.",
    steps: [step("bayesian-linear-regression")], zoom: 3,
    points: () => curve(random(34), 9, -1.5, 1.5, (x) => 0.8 * x, 0.25),
  },
  {
    id: "tube", title: "A tube in which errors are free", task: "regression",
    lesson: "Points inside the tube cost nothing; those on its edge and outside (ringed, with their slack) hold the line. Lower C: the line flattens, and the margin 2ε/|w| widens.",
    steps: [step("linear-svr", { C: 10, epsilon: 0.8 })],
    points: () => curve(random(41), 44, -5, 5, (x) => 0.7 * x, 0.75),
  },
  {
    id: "flat-or-steep", title: "Flat or steep in a tube", task: "regression",
    lesson: "How far apart must two places be for the line to differ by the width 2ε of its tube? That margin is 2ε/|w|: turn the line with the slope below. Flat lines have wide margins and leave points outside; support vector regression weighs one against the other.",
    steps: [step("linear-svr", { C: 10, epsilon: 0.8 })], bands: 0,
    points: () => curve(random(41), 44, -5, 5, (x) => 0.7 * x, 0.75),
  },
  {
    id: "curved-tube", title: "A tube around a wave", task: "regression",
    lesson: "A Gaussian kernel bends the tube. Points inside it have no say; those on its edge and outside (ringed) are the support vectors. Narrow the tube (epsilon): more points hold it. Raise gamma: it follows the noise.",
    steps: [step("svr", { C: 10, epsilon: 0.5, gamma: 0.5 })],
    points: () => curve(random(45), 60, -5, 5, (x) => 2 * Math.sin(x), 0.4),
  },
  {
    id: "process", title: "Sure near the points, unsure between them", task: "regression",
    lesson: "A Gaussian process gives every place a law: the curve is its mean, the band its standard deviations. Put a point into the gap: the band closes there and grows nowhere. One deviation holds 68 % of the law, two 95 %.",
    steps: [step("gaussian-process-regressor")],
    points: () => { const rng = random(46); return [...curve(rng, 14, -5, -1.5, (x) => 2 * Math.sin(x), 0.15), ...curve(rng, 10, 2.5, 5, (x) => 2 * Math.sin(x), 0.15)]; },
  },
  {
    id: "descent", title: "Down the slope, step by step", task: "regression",
    lesson: "Each pass moves the line against the gradient of the error, which falls from step to step (curve below) until it hardly changes. Play it. Raise eta0 (more parameters) until the steps overshoot.",
    steps: [step("sgd-regressor", { alpha: 0, learning_rate: "constant", eta0: 0.001, shuffle: false, tol: 1e-5 })],
    points: () => curve(random(42), 50, -4, 4, (x) => 1 + 0.8 * x, 0.5),
  },
  {
    id: "batch-descent", title: "All points in every step", task: "regression",
    lesson: "The error of a line is a bowl over slope and offset. Every step goes against the gradient of all points, so the error falls from step to step, down to the line of least squares, if steps are shorter than 2/λ. Play it, then lengthen the steps η until the descent runs away.",
    steps: [step("linear-regression")], bands: 0, layers: { descent: true },
    points: () => curve(random(42), 50, -3, 4, (x) => 1 + 0.8 * x, 0.5),
  },
  {
    id: "hidden-states", title: "Hidden states along a path", task: "sequence",
    lesson: "A hidden Markov model finds three states along the strokes and how they follow each other. Draw another stroke with the Stroke tool.",
    steps: [step("hmm", { n_components: 3 })],
    points: () => {
      const rng = random(13);
      const places = [[-4, 0], [0, 3], [4, 0]];
      return [0, 1].flatMap((stroke) => Array.from({ length: 45 }, (_, index) => {
        const [x, y] = places[Math.floor(index / 15)];
        return [[x + 0.6 * rng.normal(), y + 0.6 * rng.normal() - stroke], 0, stroke];
      }));
    },
  },
  {
    id: "gestures", title: "Waving, pointing, stopping", task: "sequence",
    lesson: "Six strokes: two of each gesture. One hidden Markov model for all of them finds the parts that they are made of. Draw a gesture of your own with the Stroke tool and see through which states it goes.",
    steps: [step("hmm", { n_components: 5, random_state: 1 })], classes: ["wave", "point", "stop"],
    points: () => gestures(random(43)),
  },
];
