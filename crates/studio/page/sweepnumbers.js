// The figures of a method for many values of a parameter: a curve each, and a table with the best of each.

import { job } from "./api.js";
import { last, parametersOf } from "./catalogue.js";
import { completed, question } from "./fitting.js";
import { holders } from "./holders.js";
import { asIf } from "./noise.js";
import { css, themed } from "./palette.js";
import { button, element, neat, sharp } from "./parts.js";
import { state } from "./state.js";
import { varied, written } from "./sweepvalues.js";

/** The figures that are weighed against each other: fit, and two prices for complexity. */
const TOGETHER = ["RSS", "AIC", "BIC"];

/**
 * @typedef {{name: string, better: string|undefined, mean: number, deviation: number}} Figure
 * @typedef {{value: any, figures: Figure[], error?: string}} Row
 */

/** Fits every value with every seed; `told` hears of each value that is done with the row so far. */
export async function measure(name, values, repeats, signal, told) {
  const seeded = parametersOf(last().algorithm).some(([parameter]) => parameter === "random_state");
  const seeds = Array.from({ length: seeded ? repeats : 1 }, (_, seed) => seed);
  for (const value of values) {
    const row = { value, figures: [] };
    try {
      const answers = [];
      for (const seed of seeds) answers.push(await one(name, value, seeds.length > 1 ? seed : null, signal));
      row.figures = summary(answers);
    } catch (error) {
      if (signal.aborted) throw error;
      row.error = error.message;
    }
    told(row);
  }
}

// Of the points that are held back one half chooses the value; the other half judges the choice, once.
async function one(name, value, seed, signal, half = 0) {
  const { steps, drawing } = varied(name, value);
  if (seed !== null && name !== "random_state") steps.at(-1).parameters.random_state = seed;
  const whole = asIf(drawing, () => question(steps, false));
  if (!whole) throw new Error("draw some points first");
  const answer = await job("/api/fit", halved(whole, half), signal, () => {});
  return asIf(drawing, () => figuresOf(completed(answer, steps), half));
}

/** Whether so many points are held back that both halves say something. */
const canChoose = (train) => train?.filter((own) => !own).length >= 8;

// The question with every second of the points that are held back.
function halved(request, half) {
  const { train } = request;
  if (!canChoose(train)) return request;
  let held = 0;
  const stays = train.map((own) => own || held++ % 2 === half);
  const only = (list) => list?.filter((_, index) => stays[index]);
  return { ...request, rows: only(request.rows), train: only(train), labels: only(request.labels), values: only(request.values), targets: only(request.targets), known: only(request.known) };
}

/**
 * The value that is best on the half that chooses, and what the other half says about it; nothing where none is held back.
 * @returns {Promise<{figure: string, value: any, chosen: number, judged: number}|null>}
 */
export async function choose(name, rows, signal) {
  const figure = rows[0]?.figures.find((one) => one.name.endsWith(CHOOSES));
  const best = figure && bestRow(rows, figure);
  if (best === null || best === undefined) return null;
  const { value } = rows[best];
  const judged = (await one(name, value, null, signal, 1)).find((other) => other.name.endsWith(JUDGES) && other.name.startsWith(figure.name.split(",")[0]));
  return judged ? { figure: figure.name.split(",")[0], value, chosen: meanOf(rows[best], figure.name), judged: judged.value } : null;
}

const CHOOSES = ", held back to choose";
const JUDGES = ", held back to judge";

// Groups are judged by themselves and beside the known classes, other methods by their scores and by what holds them.
function figuresOf(answer, half) {
  const { quality, scores } = answer;
  if (quality && state.task === "clustering") return [...quality.internal, ...quality.external];
  const held = canChoose(question(state.steps, false)?.train) ? [CHOOSES, JUDGES][half] : ", held back";
  const judged = [["train", scores.test ? ", learned" : ""], ["test", held]].flatMap(([part, words]) => (scores[part]?.figures ?? []).map(({ metric, value, higher_is_better: higher }) => ({ name: `${metric}${words}`, value, better: higher === undefined ? undefined : higher ? "high" : "low" })));
  const width = answer.tube ? [{ name: "ε", value: answer.tube }] : [];
  return [...judged, ...holders(answer).map(({ name, value }) => ({ name, value })), ...width];
}

// Every figure that some list has, in the order of the longest.
const allOf = (lists) => [...new Map(lists.toSorted((a, b) => b.length - a.length).flat().map((figure) => [figure.name, figure])).values()];

function summary(lists) {
  return allOf(lists).map(({ name, better }) => {
    const values = lists.map((list) => list.find((figure) => figure.name === name)?.value).filter((value) => value !== undefined);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const deviation = values.length > 1 ? Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)) : 0;
    // What rounding leaves of equal values is no deviation.
    return { name, better, mean, deviation: deviation > 1e-9 * Math.abs(mean) ? deviation : 0 };
  });
}

const meanOf = (row, name) => row.figures.find((figure) => figure.name === name)?.mean;

/** The place of the best row by a figure; nothing where no row has it or nobody knows what is better. */
export function bestRow(rows, { name, better }) {
  if (!better) return null;
  let best = null;
  rows.forEach((row, place) => {
    const value = meanOf(row, name);
    if (value === undefined) return;
    const than = best === null ? null : meanOf(rows[best], name);
    if (best === null || (better === "low" ? value < than : value > than)) best = place;
  });
  return best;
}

/** The place of the row that is low on RSS, AIC and BIC together: its ranks by them add up to the least. */
export function lowOnAll(rows) {
  const judged = rows.filter((row) => TOGETHER.every((name) => meanOf(row, name) !== undefined));
  if (judged.length < 2) return null;
  const rank = (row, name) => judged.filter((other) => meanOf(other, name) < meanOf(row, name)).length;
  const sums = judged.map((row) => TOGETHER.reduce((sum, name) => sum + rank(row, name), 0));
  return rows.indexOf(judged[sums.indexOf(Math.min(...sums))]);
}

/** The curves and the table; `use` takes a value over. */
export function numbersView(name, rows, use, chosen = null) {
  const box = element("div", undefined, "numbers");
  const figures = allOf(rows.map((row) => row.figures));
  const all = lowOnAll(rows);
  const curves = element("div", undefined, "curves");
  curves.append(...figures.map((figure) => curve(rows, figure)));
  const line = (cells) => {
    const made = element("tr");
    made.append(...cells);
    return made;
  };
  const table = element("table");
  table.setAttribute("aria-label", `Figures for every ${name}`);
  table.append(line([element("th", name), ...figures.map(({ name: its, better }) => element("th", `${its}${better ? (better === "low" ? " ↓" : " ↑") : ""}`))]));
  const best = figures.map((figure) => bestRow(rows, figure));
  rows.forEach((row, place) => table.append(line(cellsOf(row, place, { figures, best, all, use }))));
  box.append(curves, table);
  if (all !== null) box.append(element("p", `Low on RSS, AIC and BIC together: ${name} = ${written(rows[all].value)}.`));
  if (chosen) box.append(element("p", `Chosen on one half of the held-back points: ${name} = ${written(chosen.value)} (${chosen.figure} ${neat(chosen.chosen)}). On the other half, looked at once: ${chosen.figure} ${neat(chosen.judged)}.`));
  return box;
}

function cellsOf(row, place, { figures, best, all, use }) {
  const head = element("td");
  head.append(button(written(row.value), "Use this value", () => use(row.value)));
  if (row.error) {
    const why = element("td", row.error, "bad");
    why.colSpan = Math.max(1, figures.length);
    return [head, why];
  }
  return [head, ...figures.map((figure, column) => {
    const found = row.figures.find(({ name }) => name === figure.name);
    const cell = element("td", found ? `${neat(found.mean)}${found.deviation ? ` ± ${found.deviation.toPrecision(2)}` : ""}` : "–");
    if (best[column] === place) cell.className = "best";
    if (all === place && TOGETHER.includes(figure.name)) cell.classList.add("all");
    return cell;
  })];
}

function curve(rows, figure) {
  const made = element("figure");
  const canvas = element("canvas");
  made.append(element("figcaption", figure.name), canvas);
  // The canvas has a size once it is on the page.
  requestAnimationFrame(() => paintCurve(canvas, rows, figure));
  return made;
}

function paintCurve(canvas, rows, figure) {
  const [context, width, height] = sharp(canvas);
  const found = rows.map((row) => row.figures.find(({ name }) => name === figure.name));
  const spans = found.filter(Boolean).flatMap(({ mean, deviation }) => [mean - deviation, mean + deviation]);
  const [low, high] = [Math.min(...spans), Math.max(...spans)];
  const x = (place) => 12 + (place / Math.max(1, rows.length - 1)) * (width - 24);
  const y = (value) => height - 20 - ((value - low) / (high - low || 1)) * (height - 30);
  context.fillStyle = css(0, 0.2);
  context.beginPath();
  found.forEach((one, place) => one && context.lineTo(x(place), y(one.mean + one.deviation)));
  found.map((one, place) => [one, place]).reverse().forEach(([one, place]) => one && context.lineTo(x(place), y(one.mean - one.deviation)));
  context.fill();
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  context.beginPath();
  found.forEach((one, place) => one && context.lineTo(x(place), y(one.mean)));
  context.stroke();
  const best = bestRow(rows, figure);
  context.textAlign = "center";
  found.forEach((one, place) => {
    if (!one) return;
    context.fillStyle = place === best ? css(4) : css(0);
    context.beginPath();
    context.arc(x(place), y(one.mean), place === best ? 4.5 : 2.5, 0, 2 * Math.PI);
    context.fill();
    context.fillStyle = themed("faint");
    context.fillText(written(rows[place].value), x(place), height - 5);
  });
}
