// What is known about the fitted model, in words, numbers and small pictures.

import { showDendrogram } from "./dendrogram.js";
import { css, themed } from "./palette.js";
import { element, neat, sharp } from "./parts.js";
import { showQuality } from "./quality.js";
import { state } from "./state.js";

const $ = (id) => document.getElementById(id);

/** Shows everything about an answer; nothing empties the panels. */
export function showModel(answer) {
  showFacts(answer);
  showConfusion(answer);
  showDendrogram(answer);
  showQuality(answer);
  showProjection(answer);
  showAttributes(answer);
}

function showFacts(answer) {
  const box = $("facts");
  box.replaceChildren();
  if (!answer) {
    box.append(element("p", "Nothing fitted yet."));
    return;
  }
  const { facts, scores } = answer;
  const time = facts.seconds < 1 ? `${(facts.seconds * 1000).toPrecision(3)} ms` : `${facts.seconds.toPrecision(3)} s`;
  const made = facts.iterations ? `, ${facts.iterations} iterations (${facts.stop})` : "";
  box.append(element("p", `Learned from ${scores.learned} points in ${time}${made}.`));
  for (const [part, words] of [["train", "on its own points"], ["test", "on held-back points"]]) {
    const figures = scores[part]?.figures ?? [];
    if (figures.length) box.append(element("p", `${words}: ${figures.map((f) => `${f.metric ?? f.name} ${neat(f.value)}`).join(", ")}`));
  }
  if (answer.points.log_probabilities) box.append(element("p", `log-probability of the paths: ${answer.points.log_probabilities.map(neat).join(", ")}`));
}

function showConfusion(answer) {
  const box = $("confusion");
  box.replaceChildren();
  for (const [part, words] of [["test", "held back"], ["train", "learned from"]]) {
    const counts = answer?.scores[part]?.confusion;
    if (!counts) continue;
    const title = `Confusion, points ${words} (rows true, columns predicted)`;
    const table = element("table");
    table.setAttribute("aria-label", title);
    const head = element("tr");
    head.append(element("th"), ...state.drawing.classes.map((name) => element("th", name)));
    table.append(head);
    const most = Math.max(1, ...counts.flat());
    counts.forEach((line, truth) => {
      const row = element("tr");
      row.append(element("th", state.drawing.classes[truth]));
      line.forEach((count, predicted) => {
        const cell = element("td", String(count));
        cell.style.background = css(truth === predicted ? 0 : 4, (0.55 * count) / most);
        row.append(cell);
      });
      table.append(row);
    });
    box.append(element("p", title, "quiet"), table);
    if (part === "test") break;
  }
}

function showAttributes(answer) {
  const list = $("attributes").querySelector("dl");
  list.replaceChildren();
  for (const { name, meaning, value } of answer?.attributes ?? []) {
    list.append(element("dt", `${name} = ${brief(value)}`), element("dd", meaning));
  }
}

function brief(value) {
  if (value === null) return "–";
  if (value.shape) return `array of ${value.shape.join("×")}`;
  if (Array.isArray(value)) {
    const text = `[${value.slice(0, 6).map(brief).join(", ")}${value.length > 6 ? ", …" : ""}]`;
    return text.length > 160 ? `${text.slice(0, 160)}…` : text;
  }
  return typeof value === "number" ? neat(value) : String(value);
}

function showProjection(answer) {
  const projected = state.task === "transformation" ? answer?.points.projected : null;
  $("projection").hidden = !projected;
  if (!projected) return;
  scatter($("projected"), projected, answer.points.projected_names);
  const ratio = answer.attributes.find((a) => a.name === "explained_variance_ratio")?.value;
  $("scree").hidden = !Array.isArray(ratio);
  if (Array.isArray(ratio)) scree($("scree"), ratio);
}

function scatter(canvas, list, names) {
  const [context, width, height] = sharp(canvas);
  const flat = list[0].length < 2;
  const place = [0, 1].map((axis) => {
    const values = flat && axis ? [0, 1] : list.map((row) => row[axis]);
    const [low, high] = [Math.min(...values), Math.max(...values)];
    return (value) => (value - low) / (high - low || 1);
  });
  list.forEach((row, index) => {
    // With one axis the points of each class lie on a line of their own.
    const x = 12 + place[0](row[0]) * (width - 24);
    const label = state.drawing.points[index]?.k ?? null;
    const y = flat ? 30 + (((label ?? -1) + 1) * (height - 60)) / (state.drawing.classes.length + 1) : height - 12 - place[1](row[1]) * (height - 24);
    context.fillStyle = css(label, 0.8);
    context.beginPath();
    context.arc(x, y, 3, 0, 2 * Math.PI);
    context.fill();
  });
  context.fillStyle = themed("faint");
  context.fillText(names[0] ?? "", width - 40, height - 3);
  if (!flat) context.fillText(names[1] ?? "", 3, 11);
}

function scree(canvas, ratio) {
  const [context, width, height] = sharp(canvas);
  const bar = (width - 20) / ratio.length;
  let sum = 0;
  context.strokeStyle = css(4);
  context.lineWidth = 2;
  context.beginPath();
  ratio.forEach((share, index) => {
    context.fillStyle = css(0);
    const tall = share * (height - 30);
    context.fillRect(10 + index * bar + bar * 0.15, height - 6 - tall, bar * 0.7, tall);
    sum += share;
    context.lineTo(10 + (index + 0.5) * bar, height - 6 - sum * (height - 30));
  });
  context.stroke();
  context.fillStyle = themed("faint");
  context.fillText("share of variance per axis, and their sum", 10, 12);
}

/** The objective after each iteration, with the shown one marked. */
export function showTrace(canvas, trace, at) {
  const [context, width, height] = sharp(canvas);
  const { values, name } = trace;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const place = (index) => [6 + (index / Math.max(1, values.length - 1)) * (width - 12), height - 6 - ((values[index] - low) / (high - low || 1)) * (height - 20)];
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  context.beginPath();
  values.forEach((_, index) => context.lineTo(...place(index)));
  context.stroke();
  context.fillStyle = css(4);
  context.beginPath();
  context.arc(...place(Math.min(at, values.length) - 1), 4, 0, 2 * Math.PI);
  context.fill();
  context.fillStyle = themed("faint");
  context.fillText(name, 6, 11);
}

/** Box plots of a cross-validated comparison, best first. */
export function showContest(box, methods) {
  box.replaceChildren();
  const judged = methods.filter((method) => method.summaries?.length);
  for (const failed of methods.filter((method) => method.error)) box.append(element("p", `${failed.spec}: ${failed.error}`));
  if (!judged.length) return;
  const { metric, higher_is_better: higher } = judged[0].summaries[0];
  const lists = judged.map((method) => ({
    spec: method.spec,
    mean: method.summaries[0].mean,
    values: method.folds.map((fold) => fold.figures[0].value).sort((a, b) => a - b),
  }));
  lists.sort((a, b) => (higher ? b.mean - a.mean : a.mean - b.mean));
  const all = lists.flatMap((list) => list.values);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const x = (value) => 10 + ((value - low) / (high - low || 1)) * 280;
  const quantile = (values, share) => {
    const at = share * (values.length - 1);
    const below = Math.floor(at);
    return values[below] + (at - below) * ((values[below + 1] ?? values[below]) - values[below]);
  };
  const parts = [`<text x="10" y="12" class="t">${metric} over ${lists[0].values.length} folds, best first</text>`];
  lists.forEach(({ spec, mean, values }, index) => {
    const y = 34 + index * 44;
    const [q1, q2, q3] = [0.25, 0.5, 0.75].map((share) => x(quantile(values, share)));
    parts.push(`<text x="10" y="${y - 5}" class="t">${escape(spec)}  ${neat(mean)}</text>`);
    parts.push(`<path d="M${x(values[0])} ${y + 9}H${q1}M${q3} ${y + 9}H${x(values.at(-1))}" class="w"/>`);
    parts.push(`<rect x="${q1}" y="${y + 2}" width="${Math.max(1, q3 - q1)}" height="14" class="b"/>`);
    parts.push(`<path d="M${q2} ${y + 2}v14" class="m"/>`);
  });
  const style = `.t{font:11px system-ui;fill:${themed("ink")}}.w{stroke:${themed("faint")}}.b{fill:${css(0, 0.35)};stroke:${css(0)}}.m{stroke:${css(4)};stroke-width:3}`;
  const picture = element("div");
  picture.innerHTML = `<svg viewBox="0 0 300 ${30 + lists.length * 44}" role="img" aria-label="Box plots of ${metric}"><style>${style}</style>${parts.join("")}</svg>`;
  box.append(picture);
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

