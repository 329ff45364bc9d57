// The projection workbench: the projected points in a second panel, the share of each axis, and
// the way to go on from there.

import { entry, last } from "./catalogue.js";
import { take } from "./datapanel.js";
import { css, themed } from "./palette.js";
import { $, neat, range, sharp } from "./parts.js";
import { shown } from "./picture.js";
import { separationWords, separations } from "./separation.js";
import { state } from "./state.js";
import { paintThumbnails, pictureSize } from "./thumbnails.js";

const EDGE = 14;
// The components that were asked for; a projection with fewer shows its last.
const wanted = [0, 1];
let pair = wanted;
// How far every pair tells the classes apart.
let separated = [];

/** Shows the projection of an answer, where its method makes one that has axes. */
export function showWorkbench(answer) {
  const projected = answer?.points.projected;
  const axes = answer?.figures.some(({ shape }) => shape.shape === "axes");
  const there = Boolean(projected?.length && state.task !== "views" && (axes || state.task === "transformation"));
  $("projection").hidden = !there;
  $("variances").hidden = !there;
  if (!there) return;
  const { projected_names: names } = answer.points;
  pair = wanted.map((axis) => Math.min(axis, names.length - 1));
  for (const [position, id] of ["component-x", "component-y"].entries()) {
    $(id).replaceChildren(...names.map((name, index) => new Option(name, index, false, pair[position] === index)));
  }
  $("component-y").disabled = names.length < 2;
  $("use-projected").disabled = names.length < 2;
  // Of a method without a kernel the isolines are straight.
  $("show-isolines").hidden = state.task !== "transformation" || !("kernel" in (entry(last().algorithm)?.schema.properties ?? {}));
  separated = separations(projected, state.drawing.points.map(({ k }) => k ?? null));
  const pictures = pictureSize(state.drawing.names);
  $("pictures-row").hidden = !pictures;
  $("projection").classList.toggle("tall", Boolean(pictures));
  tell(answer);
  const ratio = answer.attributes.find(({ name }) => name === "explained_variance_ratio")?.value;
  $("scree").hidden = !Array.isArray(ratio);
  $("variances").hidden = !Array.isArray(ratio) && !answer.points.reconstructed;
  paintProjected(answer.points);
  if (Array.isArray(ratio)) paintScree($("scree"), ratio);
}

function tell(answer) {
  $("projection-facts").textContent = [lost(answer), separationWords(separated, pair, answer.points.projected_names)].filter(Boolean).join(" ");
}

// How far the points lie from where the projection puts them.
function lost({ points: { reconstructed } }) {
  if (!reconstructed) return "";
  const { points } = state.drawing;
  let [error, spread] = [0, 0];
  const width = reconstructed[0].length;
  for (let axis = 0; axis < width; axis++) {
    const mean = reconstructed.reduce((sum, row) => sum + row[axis], 0) / reconstructed.length;
    reconstructed.forEach((row, index) => {
      const value = points[index]?.c[state.visibleOnly ? state.axes[axis] : axis] ?? 0;
      error += (value - row[axis]) ** 2;
      spread += (value - mean) ** 2;
    });
  }
  if (error <= 1e-12 * spread) return "Nothing is lost: the points can be taken back.";
  return `Taken back, the points are off by ${neat(error / reconstructed.length)} squared on average, ${neat((100 * error) / (spread || 1))} % of their spread.`;
}

function paintProjected({ projected, projected_names: names }) {
  const [context, width, height] = sharp($("projected"));
  const flat = names.length < 2;
  const { points, classes } = state.drawing;
  const place = pair.map((axis) => {
    const [low, high] = range(projected.map((row) => row[axis]));
    return (row) => (row[axis] - low) / (high - low || 1);
  });
  context.strokeStyle = themed("grid");
  context.strokeRect(EDGE, EDGE, width - 2 * EDGE, height - 2 * EDGE);
  const list = projected.map((row, index) => {
    const label = points[index]?.k ?? null;
    // With one axis the points of each class lie on a line of their own.
    const up = flat ? ((label ?? -1) + 1.5) / (classes.length + 1.5) : place[1](row);
    return { place: [EDGE + 6 + place[0](row) * (width - 2 * EDGE - 12), height - EDGE - 6 - up * (height - 2 * EDGE - 12)], row: points[index]?.c, label };
  });
  const pictures = pictureSize(state.drawing.names);
  if (pictures && $("show-pictures").checked) paintThumbnails(context, list.filter(({ row }) => row), pictures);
  else paintDots(context, list);
  context.fillStyle = themed("faint");
  context.textAlign = "right";
  context.fillText(names[pair[0]], width - EDGE, height - 3);
  context.textAlign = "left";
  if (!flat) context.fillText(names[pair[1]], EDGE, 11);
}

function paintDots(context, list) {
  for (const { place, label } of list) {
    context.fillStyle = css(label, 0.8);
    context.beginPath();
    context.arc(...place, 3, 0, 2 * Math.PI);
    context.fill();
  }
}

// Bars for the share of each axis, and the line of their sum.
function paintScree(canvas, ratio) {
  const [context, width, height] = sharp(canvas);
  const bar = (width - 20) / ratio.length;
  const tall = height - 34;
  const y = (share) => height - 18 - share * tall;
  let sum = 0;
  const sums = ratio.map((share) => { sum += share; return sum; });
  context.fillStyle = css(0);
  ratio.forEach((share, index) => context.fillRect(10 + index * bar + bar * 0.15, y(share), bar * 0.7, share * tall));
  context.strokeStyle = css(4);
  context.lineWidth = 2;
  context.beginPath();
  sums.forEach((share, index) => context.lineTo(10 + (index + 0.5) * bar, y(share)));
  context.stroke();
  context.fillStyle = css(4);
  sums.forEach((share, index) => context.fillRect(7 + (index + 0.5) * bar, y(share) - 3, 6, 6));
  context.fillStyle = themed("faint");
  context.fillText("share of variance of each axis, and their sum", 10, 11, width - 20);
  context.textAlign = "center";
  ratio.forEach((share, index) => {
    if (bar > 30 || index % Math.ceil(30 / bar) === 0) context.fillText(`${(100 * share).toFixed(0)} %`, 10 + (index + 0.5) * bar, height - 5);
  });
}

function refresh() {
  if (!shown.answer) return;
  tell(shown.answer);
  paintProjected(shown.answer.points);
}

export function wireWorkbench() {
  for (const [position, id] of ["component-x", "component-y"].entries()) {
    $(id).onchange = () => {
      wanted[position] = Number($(id).value);
      pair = pair.with(position, wanted[position]);
      refresh();
    };
  }
  $("show-pictures").onchange = refresh;
  // Undo takes it back, so projections can be chained and reverted.
  $("use-projected").onclick = () => {
    const { projected, projected_names: names } = shown.answer.points;
    state.axes = [0, 1];
    take({ ...state.drawing, names, points: state.drawing.points.map((p, index) => ({ ...p, c: projected[index] })) });
  };
}
