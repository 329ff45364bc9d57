// Models that are held by some of their points: how many, and how many of them pay.

import { tubeSupports } from "./curve.js";

/**
 * The counts of an answer, each with its share of the points that were learned from.
 * @returns {{name: string, value: number, share: number}[]} nothing for models without support points
 */
export function holders(answer) {
  const support = answer.attributes.find(({ name }) => name === "support")?.value;
  const count = Array.isArray(support) ? support.length : support?.shape?.[0];
  const found = [];
  if (Number.isFinite(count)) found.push(["support vectors", count]);
  if (answer.tube) found.push(["outside the tube", tubeSupports(answer).filter(({ slack }) => slack).length]);
  return found.map(([name, value]) => ({ name, value, share: value / Math.max(1, answer.scores.learned) }));
}

/** The same in words, with the width of the tube where the method has one. */
export function holderWords(answer) {
  const counts = holders(answer).map(({ name, value, share }) => `${value} ${name} (${(100 * share).toFixed(0)} %)`);
  return [...counts, ...(answer.tube ? [`ε = ${Number(answer.tube.toPrecision(3))}`] : [])];
}
