// Two views of the same things: the variates that go together, how closely, and whether by chance.

import { constraintWords } from "./constraint.js";
import { take } from "./datapanel.js";
import { pairOf, variates } from "./pairs.js";
import { css, themed } from "./palette.js";
import { $, element, neat, range, sharp } from "./parts.js";
import { paint, shown } from "./picture.js";
import { state } from "./state.js";

const EDGE = 20;

/** Shows the variates and the correlations of an answer that relates two views. */
export function showVariates(answer) {
  const found = state.task === "views" && state.drawing.points.length ? pairOf(answer) : null;
  $("variates").hidden = $("correlations").hidden = !found;
  if (!found) return;
  $("variate-pair").replaceChildren(...Array.from({ length: found.count }, (_, index) => new Option(index + 1, index, false, index === found.index)));
  showTable(answer);
  showLength(answer);
  paintVariates(answer);
}

function showTable({ views }) {
  const line = (tag, cells) => {
    const row = element("tr");
    row.append(...cells.map((cell) => element(tag, cell)));
    return row;
  };
  const said = (value) => (value === null ? "–" : neat(value));
  const chance = (value) => (value === null ? "–" : value < 1e-4 ? "< 0.0001" : value.toFixed(4));
  $("correlation-table").replaceChildren(
    line("th", ["pair", "correlation", "Wilks' Λ", "χ²", "df", "p-value"]),
    ...views.map(({ correlation, wilks, statistic, freedom, p }, index) => line("td", [index + 1, correlation.toFixed(4), said(wilks), said(statistic), freedom ?? "–", chance(p)].map(String))),
  );
}

function showLength(answer) {
  const words = constraintWords(answer);
  $("length-row").hidden = !words;
  $("weight-length").value = state.hand.length;
  $("constraint-words").textContent = words || "Show both columns of a view of two to see its weights.";
}

/** How many of the pairs are more than chance. */
export function viewWords({ views }) {
  if (!views) return "";
  if (views.some(({ p }) => p === null)) return "Not tested: too few points, columns that depend on each other, or a ridge.";
  const certain = views.findIndex(({ p }) => p >= 0.05);
  const count = certain < 0 ? views.length : certain;
  return `${count === 0 ? "No pair goes" : count === 1 ? "One pair goes" : `${count} pairs go`} together more than chance would (Bartlett's test, 5 %).`;
}

function paintVariates(answer) {
  const [context, width, height] = sharp($("variate-canvas"));
  const { index, weights } = pairOf(answer);
  const both = variates(weights);
  const place = both.map((values) => {
    const [low, high] = range(values);
    return (row) => (values[row] - low) / (high - low || 1);
  });
  context.strokeStyle = themed("grid");
  context.strokeRect(EDGE, EDGE, width - 2 * EDGE, height - 2 * EDGE);
  state.drawing.points.forEach(({ k }, row) => {
    context.fillStyle = css(k, 0.8);
    context.beginPath();
    context.arc(EDGE + 6 + place[0](row) * (width - 2 * EDGE - 12), height - EDGE - 6 - place[1](row) * (height - 2 * EDGE - 12), 3, 0, 2 * Math.PI);
    context.fill();
  });
  context.fillStyle = themed("faint");
  context.fillText(`second view, v${index + 1}`, EDGE, 13);
  context.textAlign = "right";
  context.fillText(`first view, u${index + 1}`, width - EDGE, height - 6);
}

// The variates of every pair, those of the first view first; undo takes it back.
function useVariates() {
  const list = pairOf(shown.answer).all.map(variates);
  const columns = [...list.map(([u]) => u), ...list.map(([, v]) => v)];
  const names = ["u", "v"].flatMap((letter) => list.map((_, pair) => `${letter}${pair + 1}`));
  state.split = list.length;
  state.axes = [0, list.length];
  take({ ...state.drawing, names, points: state.drawing.points.map((p, row) => ({ ...p, c: columns.map((column) => column[row]) })) });
}

export function wireVariates() {
  $("variate-pair").onchange = () => {
    state.hand.pair = Number($("variate-pair").value);
    refresh();
  };
  $("weight-length").oninput = () => {
    state.hand.length = Number($("weight-length").value);
    refresh();
  };
  $("touch").onclick = () => {
    state.hand.length = 1;
    refresh();
  };
  $("use-variates").onclick = useVariates;
}

function refresh() {
  if (!pairOf(shown.answer)) return;
  showLength(shown.answer);
  paintVariates(shown.answer);
  paint();
}
