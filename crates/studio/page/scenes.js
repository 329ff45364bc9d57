// Prepared scenes, each with something to learn from it.

/** A small generator of random numbers, so that a scene looks the same everywhere. */
function random(seed) {
  let bits = seed * 2654435761;
  const uniform = () => {
    bits = (Math.imul(bits, 1664525) + 1013904223) | 0;
    return (bits >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

function blob(rng, count, [x, y], [sx, sy], k, turn = 0) {
  return Array.from({ length: count }, () => {
    const [u, v] = [rng.normal() * sx, rng.normal() * sy];
    return [[x + u * Math.cos(turn) - v * Math.sin(turn), y + u * Math.sin(turn) + v * Math.cos(turn)], k, null];
  });
}

function curve(rng, count, low, high, height, noise) {
  return Array.from({ length: count }, (_, index) => {
    const x = low + ((high - low) * (index + 0.5)) / count;
    return [[x, height(x) + noise * rng.normal()], 0, null];
  });
}

function ring(rng, count, radius, noise, k) {
  return Array.from({ length: count }, () => {
    const angle = 2 * Math.PI * rng.uniform();
    const far = radius + noise * rng.normal();
    return [[far * Math.cos(angle), far * Math.sin(angle)], k, null];
  });
}

function moon(rng, count, flip, k, noise = 0.3) {
  return Array.from({ length: count }, () => {
    const angle = Math.PI * rng.uniform();
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    return [[3 * (flip ? 1 - x : x) + noise * rng.normal(), 3 * (flip ? 0.5 - y : y) + noise * rng.normal()], k, null];
  });
}

const step = (algorithm, parameters = {}) => ({ algorithm, parameters });
const three = (seed) => {
  const rng = random(seed);
  return [...blob(rng, 50, [-4, -2], [0.8, 0.8], 0), ...blob(rng, 50, [4, -2], [0.8, 0.8], 1), ...blob(rng, 50, [0, 4], [0.8, 0.8], 2)];
};

/** @type {{id: string, title: string, lesson: string, task: string, steps: Object[], points: () => any[], classes?: string[], share?: number, zoom?: number}[]} */
export const SCENES = [
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
    lesson: "The classes overlap, so some points lie beyond their margin (thick rings); the thin lines are their slack. Lower C: the street widens and more points pay less each.",
    steps: [step("linear-svc", { C: 0.3, loss: "hinge" })],
    points: () => { const rng = random(1); return [...blob(rng, 60, [-2, -1], [1.2, 1], 0), ...blob(rng, 60, [2, 1.5], [1.2, 1], 1)]; },
  },
  {
    id: "intertwined", title: "Many Gaussians for a bent class", task: "classification",
    lesson: "Eight Gaussians for each class follow the moons, and Bayes' rule compares their densities; one each could not. The regions are where each class is more probable.",
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
    id: "few-labels", title: "Two groups, six known classes", task: "clustering",
    lesson: "Each group has six points; two of the first and four of the second have a known class. F₁ weighs both: 2/6 · 0.5 + 4/6 · 0.8 = 0.7, because points without a class count as strangers. Give more points their class with Relabel.",
    steps: [step("k-means", { n_clusters: 2 })],
    points: () => [[-3, 2], [2, 4]].flatMap(([x, known], k) => Array.from({ length: 6 }, (_, i) => [[x + 0.8 * Math.cos(i), 0.8 * Math.sin(i)], i < known ? k : null, null])),
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
    lesson: "The perceptron moves its line after every mistake and stops at the first that makes none, however close to the points. Reorder or add points and it stops elsewhere.",
    steps: [step("perceptron")],
    points: () => { const rng = random(27); return [...blob(rng, 50, [-2.5, 1], [0.8, 0.8], 0), ...blob(rng, 50, [2, -1], [0.8, 0.8], 1)]; },
  },
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
];

/** A scene as a session. */
export function sceneSession(scene) {
  return { version: 1, names: ["x0", "x1"], classes: scene.classes ?? ["A", "B"], points: scene.points(), axes: [0, 1], steps: structuredClone(scene.steps), task: scene.task, share: scene.share ?? 100 };
}
