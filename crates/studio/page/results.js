// What a comparison found: box plots, histograms, and the numbers themselves.

import { css, themed } from "./palette.js";
import { element, neat } from "./parts.js";

/**
 * The figures of each method over the cuts, best first, and what could not be judged.
 * @returns {{metric: string, lists: {spec: string, mean: number, values: number[]}[], failed: {spec: string, error: string}[]}}
 */
export function judged(methods) {
  const known = methods.filter((method) => method.summaries?.length);
  const { metric, higher_is_better: higher } = known[0]?.summaries[0] ?? {};
  const lists = known.map((method) => ({
    spec: method.spec,
    mean: method.summaries[0].mean,
    values: method.folds.map((fold) => fold.figures[0].value).sort((a, b) => a - b),
  }));
  lists.sort((a, b) => (higher ? b.mean - a.mean : a.mean - b.mean));
  return { metric, lists, failed: methods.filter((method) => method.error) };
}

/** The results in one of the views: "boxes", "histograms" or "numbers". */
export function resultView(view, { metric, lists, how }) {
  return { boxes, histograms, numbers }[view](lists, metric, how);
}

function quantile(values, share) {
  const at = share * (values.length - 1);
  const below = Math.floor(at);
  return values[below] + (at - below) * ((values[below + 1] ?? values[below]) - values[below]);
}

function scale(lists) {
  const all = lists.flatMap((list) => list.values);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  return { low, high, x: (value) => 10 + ((value - low) / (high - low || 1)) * 280 };
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// Long names are cut in the picture; the numbers hold them whole.
const brief = (spec) => escape(spec.length > 34 ? `${spec.slice(0, 33)}…` : spec);

function drawn(kind, { lists, metric, how }, tall, row) {
  const { low, high, x } = scale(lists);
  const parts = [`<text x="10" y="12" class="t">${escape(metric)} ${escape(how)}, best first</text>`];
  lists.forEach((list, index) => {
    const y = 36 + index * tall;
    parts.push(`<text x="10" y="${y - 6}" class="t"><title>${escape(list.spec)}</title>${brief(list.spec)}  ${neat(list.mean)}</text>`, row(list, y, x));
  });
  const bottom = 34 + lists.length * tall;
  parts.push(`<path d="M10 ${bottom - 8}H290" class="w"/><text x="10" y="${bottom + 6}" class="f">${neat(low)}</text><text x="290" y="${bottom + 6}" class="f" text-anchor="end">${neat(high)}</text>`);
  const style = `.t{font:11px system-ui;fill:${themed("ink")}}.f{font:10px system-ui;fill:${themed("faint")}}.w{stroke:${themed("faint")}}.b{fill:${css(0, 0.35)};stroke:${css(0)}}.m{stroke:${css(4)};stroke-width:3}`;
  const picture = element("div");
  picture.innerHTML = `<svg viewBox="0 0 300 ${bottom + 10}" role="img" aria-label="${kind} of ${escape(metric)}"><style>${style}</style>${parts.join("")}</svg>`;
  return picture;
}

function boxes(lists, metric, how) {
  return drawn("Box plots", { lists, metric, how }, 46, ({ values }, y, x) => {
    const [q1, q2, q3] = [0.25, 0.5, 0.75].map((share) => x(quantile(values, share)));
    return `<path d="M${x(values[0])} ${y + 9}H${q1}M${q3} ${y + 9}H${x(values.at(-1))}M${x(values[0])} ${y + 5}v8M${x(values.at(-1))} ${y + 5}v8" class="w"/>`
      + `<rect x="${q1}" y="${y + 2}" width="${Math.max(1, q3 - q1)}" height="14" class="b"/><path d="M${q2} ${y + 2}v14" class="m"/>`;
  });
}

function histograms(lists, metric, how) {
  const { low, high } = scale(lists);
  const bins = 12;
  return drawn("Histograms", { lists, metric, how }, 62, ({ values }, y) => {
    const counts = Array(bins).fill(0);
    for (const value of values) counts[Math.min(bins - 1, Math.floor(((value - low) / (high - low || 1)) * bins))]++;
    const most = Math.max(...counts);
    return counts.map((count, bin) => `<rect x="${10 + (bin * 280) / bins}" y="${y + 36 - (34 * count) / most}" width="${280 / bins - 1}" height="${(34 * count) / most}" class="b"/>`).join("");
  });
}

function table(lists) {
  const rows = lists.map(({ spec, mean, values }) => {
    const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1));
    return [spec, mean, spread, ...[0, 0.25, 0.5, 0.75, 1].map((share) => quantile(values, share)), ...values];
  });
  const cuts = lists[0].values.map((_, index) => `sorted ${index + 1}`);
  return [["method", "mean", "std", "min", "q1", "median", "q3", "max", ...cuts], ...rows];
}

/** The results as CSV. */
export function resultText({ lists }) {
  const cell = (value) => (typeof value === "string" && /[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  return table(lists).map((row) => row.map(cell).join(",")).join("\n");
}

function numbers(lists, metric) {
  const [head, ...rows] = table(lists);
  const made = element("table");
  made.setAttribute("aria-label", `${metric} in numbers`);
  const line = (cells, tag) => {
    const row = element("tr");
    row.append(...cells.map((cell) => element(tag, typeof cell === "number" ? neat(cell) : cell)));
    return row;
  };
  made.append(line(head, "th"), ...rows.map((row) => line(row, "td")));
  const box = element("div", undefined, "scroll");
  box.append(made);
  return box;
}
