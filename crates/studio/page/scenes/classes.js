// Scenes that tell classes apart.

import { blob, moon, random, ring, step } from "./points.js";

export const CLASSES = [
  {
    id: "straight-line", title: "A straight line is enough", task: "classification",
    lesson: "Logistic regression draws a straight border; the colours pale where it is unsure.",
    steps: [step("logistic-regression")],
    points: () => { const rng = random(1); return [...blob(rng, 60, [-2, -1], [1.2, 1], 0), ...blob(rng, 60, [2, 1.5], [1.2, 1], 1)]; },
  },
  {
    id: "moons-neighbours", title: "Neighbours bend around moons", task: "classification",
    lesson: "No line separates the moons; the nearest neighbours follow their shape. Move the slider of n_neighbors.",
    steps: [step("k-neighbors", { n_neighbors: 7 })],
    points: () => { const rng = random(2); return [...moon(rng, 90, false, 0), ...moon(rng, 90, true, 1)]; },
  },
  {
    id: "over-fitting", title: "Learning by heart", task: "classification",
    lesson: "One neighbour makes no mistake on its own points and islands around every odd one. Lower the training share, then raise n_neighbors: held-back points are judged better.",
    steps: [step("k-neighbors", { n_neighbors: 1 })], share: 60,
    points: () => { const rng = random(3); return [...blob(rng, 90, [-1.3, 0], [1.5, 1.5], 0), ...blob(rng, 90, [1.3, 0], [1.5, 1.5], 1)]; },
  },
  {
    id: "smooth-border", title: "The same points, a smooth border", task: "classification",
    lesson: "Thirty-one neighbours vote: the border is smooth and the held-back points are judged better than by one.",
    steps: [step("k-neighbors", { n_neighbors: 31 })], share: 60,
    points: () => { const rng = random(3); return [...blob(rng, 90, [-1.3, 0], [1.5, 1.5], 0), ...blob(rng, 90, [1.3, 0], [1.5, 1.5], 1)]; },
  },
  {
    id: "naive-bayes", title: "Naive Bayes sees no slant", task: "classification",
    lesson: "It models each coordinate on its own, so slanted clouds look round to it and the border is off. Compare with logistic regression.",
    steps: [step("gaussian-nb")],
    points: () => { const rng = random(4); return [...blob(rng, 80, [-1, 1], [2.4, 0.5], 0, 0.8), ...blob(rng, 80, [1, -1], [2.4, 0.5], 1, 0.8)]; },
  },
  {
    id: "ring", title: "A ring around a ball", task: "classification",
    lesson: "The classes have the same mean, so no line helps; a Gaussian for each class (naive Bayes) finds the circle by its spread.",
    steps: [step("gaussian-nb")],
    points: () => { const rng = random(5); return [...ring(rng, 110, 4, 0.4, 0), ...blob(rng, 80, [0, 0], [1, 1], 1)]; },
  },
  {
    id: "margins", title: "The widest street between two classes", task: "classification",
    lesson: "A support vector machine wants the margins (dashed) far apart; only the ringed points on them hold the line. Move a point that is not ringed: nothing changes.",
    steps: [step("linear-svc", { C: 100, loss: "hinge" })],
    points: () => { const rng = random(30); return [...blob(rng, 40, [-2.6, 1.2], [0.75, 0.75], 0), ...blob(rng, 40, [2.2, -1], [0.75, 0.75], 1)]; },
  },
  {
    id: "slack", title: "Points beyond the margin pay", task: "classification",
    lesson: "The classes overlap, so some points lie beyond their margin (thick rings); the arrows are their slack. Lower C: the street widens and more points pay less each.",
    steps: [step("linear-svc", { C: 0.3, loss: "hinge" })],
    points: () => { const rng = random(1); return [...blob(rng, 60, [-2, -1], [1.2, 1], 0), ...blob(rng, 60, [2, 1.5], [1.2, 1], 1)]; },
  },
  {
    id: "curved-street", title: "A street around the bend", task: "classification",
    lesson: "A cubic kernel bends the border and both margins (thin lines); the ground is the paler the nearer to zero the score is. Ringed points hold the street: thin on the margin, thick beyond it. Choose the kernel linear: many more have to.",
    steps: [step("svc", { kernel: "poly", degree: 3, coef0: 1, C: 1 })],
    points: () => { const rng = random(43); return [...moon(rng, 80, false, 0, 0.25), ...moon(rng, 80, true, 1, 0.25)]; },
  },
  {
    id: "by-heart", title: "A narrow kernel learns by heart", task: "classification",
    lesson: "A few points of B lie within A. With a narrow kernel and a high price every point is right and has an island of its own. Compare it with C = 1 and gamma = 0.1 on random splits (Judge): it errs more, and its errors spread more.",
    steps: [step("svc", { C: 5000, gamma: 5 })],
    points: () => { const rng = random(51); return [...blob(rng, 90, [-1.8, 0], [1, 1], 0), ...blob(rng, 90, [2, 0.6], [1, 1], 1), ...blob(rng, 6, [-2, 0], [0.9, 0.9], 1)]; },
  },
  {
    id: "intertwined", title: "Many Gaussians for a bent class", task: "classification",
    lesson: "Eight Gaussians for each class (ellipses) follow the moons, and Bayes' rule compares their densities: no point is on the wrong side. Switch the layers: the points, their predicted colours, the sixteen ellipses, the regions.",
    steps: [step("bayes-classifier", { estimator: "gaussian-mixture(n_components=8, random_state=1)" })],
    points: () => { const rng = random(2); return [...moon(rng, 90, false, 0, 0.2), ...moon(rng, 90, true, 1, 0.2)]; },
  },
  {
    id: "round-gaussians", title: "Round Gaussians meet in circles", task: "classification",
    lesson: "Round Gaussians of different size meet in a circle, of the same size in a line. Draw small multiples of covariance_type: full covariances make it any conic.",
    steps: [step("qda", { covariance_type: "spherical" })],
    points: () => { const rng = random(4); return [...blob(rng, 80, [-1, 1], [2.4, 0.5], 0, 0.8), ...blob(rng, 80, [1, -1], [0.7, 0.7], 1)]; },
  },
  {
    id: "discriminant-axis", title: "The axis that tells classes apart", task: "classification",
    lesson: "The same clouds as under PCA: linear discriminant analysis measures spread within the classes and finds the narrow direction.",
    steps: [step("lda")],
    points: () => { const rng = random(9); return [...blob(rng, 80, [-1, 0], [0.35, 3], 0), ...blob(rng, 80, [1, 0], [0.35, 3], 1)]; },
  },
  {
    id: "quadratic-border", title: "Unequal spreads bend the border", task: "classification",
    lesson: "With a covariance for each class the border is a conic. Choose lda: one covariance for both makes it straight and wrong.",
    steps: [step("qda")],
    points: () => { const rng = random(26); return [...blob(rng, 100, [0, 0], [0.7, 0.7], 0), ...blob(rng, 140, [1.5, 0], [2.6, 2.6], 1)]; },
  },
  {
    id: "perceptron", title: "Any separating line will do", task: "classification",
    lesson: "The perceptron moves its line after every mistake and stops at the first that makes none, however close to the points. Play it: the lines of earlier passes stay behind. Another order of the points (the die) ends elsewhere.",
    steps: [step("perceptron")],
    points: () => { const rng = random(27); return [...blob(rng, 50, [0.6, 4], [0.8, 0.8], 0), ...blob(rng, 50, [4.4, 2.6], [0.8, 0.8], 1)]; },
  },
  {
    id: "outcomes", title: "Found, missed, false alarms", task: "classification",
    lesson: "B is looked for: some of its points are found, some missed, and some of A raise a false alarm. The legend counts them. A threshold moves points from one kind of mistake to the other: Judge, ROC.",
    steps: [step("logistic-regression")], layers: { outcomes: true },
    points: () => { const rng = random(35); return [...blob(rng, 70, [-1.3, -0.6], [1.4, 1.1], 0), ...blob(rng, 70, [1.3, 0.8], [1.4, 1.1], 1)]; },
  },
];
