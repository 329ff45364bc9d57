// Points of the scenes, drawn by a generator that gives the same everywhere.

/** A small generator of random numbers, so that a scene looks the same everywhere. */
export function random(seed) {
  let bits = seed * 2654435761;
  const uniform = () => {
    bits = (Math.imul(bits, 1664525) + 1013904223) | 0;
    return (bits >>> 0) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

export function blob(rng, count, [x, y], [sx, sy], k, turn = 0) {
  return Array.from({ length: count }, () => {
    const [u, v] = [rng.normal() * sx, rng.normal() * sy];
    return [[x + u * Math.cos(turn) - v * Math.sin(turn), y + u * Math.sin(turn) + v * Math.cos(turn)], k, null];
  });
}

export function curve(rng, count, low, high, height, noise) {
  return Array.from({ length: count }, (_, index) => {
    const x = low + ((high - low) * (index + 0.5)) / count;
    return [[x, height(x) + noise * rng.normal()], 0, null];
  });
}

export function ring(rng, count, radius, noise, k) {
  return Array.from({ length: count }, () => {
    const angle = 2 * Math.PI * rng.uniform();
    const far = radius + noise * rng.normal();
    return [[far * Math.cos(angle), far * Math.sin(angle)], k, null];
  });
}

export function moon(rng, count, flip, k, noise = 0.3) {
  return Array.from({ length: count }, () => {
    const angle = Math.PI * rng.uniform();
    const [x, y] = [Math.cos(angle), Math.sin(angle)];
    return [[3 * (flip ? 1 - x : x) + noise * rng.normal(), 3 * (flip ? 0.5 - y : y) + noise * rng.normal()], k, null];
  });
}

/** Two strokes each of a waving, a pointing and a stopping hand. */
export function gestures(rng) {
  const ways = [
    (t) => [-5 + 1.6 * Math.sin(6 * Math.PI * t), 2 + 0.4 * Math.cos(12 * Math.PI * t)],
    (t) => [-1 + 5 * Math.min(1, 1.6 * t), -1 + 0.4 * Math.sin(Math.PI * t)],
    (t) => [5, -3 + 5.5 * Math.min(1, 1.8 * t)],
  ];
  return ways.flatMap((way, gesture) => [0, 1].flatMap((again) => Array.from({ length: 36 }, (_, index) => {
    const [x, y] = way(index / 35);
    return [[x + 0.12 * rng.normal() + 0.5 * again, y + 0.12 * rng.normal() - 0.9 * again], gesture, 2 * gesture + again];
  })));
}

/** A Gaussian and a uniform source, both of deviation one, mixed by a matrix. */
export function mixture(rng, [[a, b], [c, d]]) {
  return Array.from({ length: 600 }, () => {
    const [s, t] = [rng.normal(), Math.sqrt(12) * (rng.uniform() - 0.5)];
    return [[a * s + b * t, c * s + d * t], 0, null];
  });
}

/** Three persons by two columns of a face and two of a voice: a small cause in common, and much that is not. */
export function twoViews(rng) {
  return Array.from({ length: 180 }, (_, index) => {
    const person = index % 3;
    const cause = 1.7 * (person - 1) + 0.4 * rng.normal();
    const [face, voice] = [1.5 * rng.normal(), 1.4 * rng.normal()];
    const noise = () => 0.12 * rng.normal();
    return [[0.6 * cause + 0.9 * face + noise(), 0.1 * cause + 0.7 * face + noise(), 0.9 * voice - 0.1 * cause + noise(), 0.55 * cause - 0.6 * voice + noise()], person, null];
  });
}

/** A method with its parameters. */
export const step = (algorithm, parameters = {}) => ({ algorithm, parameters });

/** Three round clouds of fifty points. */
export function three(seed) {
  const rng = random(seed);
  return [...blob(rng, 50, [-4, -2], [0.8, 0.8], 0), ...blob(rng, 50, [4, -2], [0.8, 0.8], 1), ...blob(rng, 50, [0, 4], [0.8, 0.8], 2)];
}

/** Three small groups in a square of side one, the two on the right close together. */
export function threeBlobs(seed) {
  const rng = random(seed);
  return [...blob(rng, 20, [0.2, 0.5], [0.012, 0.012], 0), ...blob(rng, 20, [0.72, 0.53], [0.012, 0.012], 1), ...blob(rng, 20, [0.72, 0.47], [0.012, 0.012], 2)];
}
