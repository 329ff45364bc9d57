// The dialog of isolines: the projections of a kernel all over the plane, for any width.

import { contour } from "./contour.js";
import { frames, outstanding, paintIsolines, relief, scaleOf } from "./isolinesview.js";
import { classes, everything, isGaussian, isOwn, ownGamma, places, questionOf, rows, spread, subjectWords } from "./isolinessubject.js";
import { setParameter } from "./methods.js";
import { newestQuestion } from "./newest.js";
import { $, neat, sharp } from "./parts.js";
import { guarded } from "./say.js";
import { pack, savePainting, unpack } from "./share.js";
import { session } from "./state.js";

/** Steps of the slider from the narrowest width to the widest. */
const NOTCHES = 400;

/** What is asked for: how many projections, which is the first, the rate, cells on the longer side, lines on either side of zero. */
const wanted = { count: 4, first: 1, gamma: null, cells: 90, lines: 6 };
// As many pictures as there are projections to show.
let framed = wanted.count;
let view = null;
let answer = null;
// The part of the plane that the answer is about.
let asked = null;
const question = newestQuestion();
let timer = null;
let pointed = null;

/** What is shown, for whoever wants to measure it. */
export const isolinesNow = () => ({ answer, region: asked, wanted: { ...wanted }, sigma: sigmaOf(wanted.gamma), busy: question.busy() || timer !== null });

/** Where the lines of a level of a shown projection run: pieces of four numbers in units of the data. */
export function isolinePieces(which, level) {
  const { heights } = relief(answer.projections[which], wanted.lines);
  const pieces = contour(heights, answer.width, answer.height, level);
  const { left, right, bottom, top } = asked;
  return Array.from(pieces, (share, at) => (at % 2 ? top - share * (top - bottom) : left + share * (right - left)));
}

/** The deviation σ of a Gaussian kernel exp(−γ‖x − y‖²). */
const sigmaOf = (gamma) => (gamma > 0 ? Math.sqrt(0.5 / gamma) : null);

function region() {
  const frame = frames(framed, $("iso-canvas").clientWidth, $("iso-canvas").clientHeight)[0];
  const { x, y } = view;
  let { across, up } = view;
  const ratio = across / frame.wide / (up / frame.tall);
  if (ratio > 0.2 && ratio < 5) {
    const unit = Math.max(across / frame.wide, up / frame.tall);
    [across, up] = [unit * frame.wide, unit * frame.tall];
  }
  return { left: x - across / 2, right: x + across / 2, bottom: y - up / 2, top: y + up / 2 };
}

function request() {
  const seenPart = region();
  const { left, right, bottom, top } = seenPart;
  const frame = frames(framed, $("iso-canvas").clientWidth, $("iso-canvas").clientHeight)[0];
  const share = wanted.cells / Math.max(frame.wide, frame.tall);
  const [width, height] = [frame.wide, frame.tall].map((side) => Math.max(8, Math.round(side * share)));
  const grid = { x: [left, right], y: [top, bottom], width, height };
  return { body: questionOf(wanted, grid), seenPart };
}

async function find() {
  clearTimeout(timer);
  timer = null;
  question.stop();
  try {
    if (rows()[0].length < 2) throw new Error("the points have one column; isolines need two");
    const { body, seenPart } = request();
    const found = await question.ask("/api/isolines", body);
    if (!found) return;
    // Fewer projections than asked for have larger pictures, of another part of the plane.
    if (found.projections.length !== framed) {
      framed = found.projections.length;
      return find();
    }
    answer = found;
    asked = seenPart;
    if (!wanted.gamma && found.gamma) wanted.gamma = found.gamma;
    show();
  } catch (error) {
    answer = null;
    show();
    tell(error.message, true);
  }
}

// While a slider moves only the newest width is asked for.
function findSoon() {
  clearTimeout(timer);
  timer = setTimeout(find, 80);
  show();
}

function paintOn(context, size) {
  paintIsolines(context, size, { answer, region: region(), asked, places: places(), classes: classes(), lines: wanted.lines, count: framed, pointed });
}

function show() {
  showControls();
  const [context, width, height] = sharp($("iso-canvas"));
  if (!answer) return context.clearRect(0, 0, width, height);
  paintOn(context, [width, height]);
  tell(pointed ? valuesAt(pointed) : words());
}

const brief = (value) => String(Number(value.toPrecision(4)));

// Other kernels have a rate as well, of which σ is only another way to write it.
const ratesOf = (gamma) => `γ = 1/2σ² = ${brief(gamma)}${isGaussian() ? `, w = 1/γ = ${brief(1 / gamma)}` : "; this kernel is not Gaussian, γ is its rate"}`;

function showControls() {
  const hasWidth = answer ? answer.gamma !== null && answer.gamma !== undefined : true;
  for (const id of ["iso-width", "iso-sigma"]) $(id).disabled = !hasWidth;
  $("iso-use").disabled = !hasWidth || !isOwn();
  const sigma = sigmaOf(wanted.gamma);
  if (sigma && document.activeElement !== $("iso-sigma")) $("iso-sigma").value = brief(sigma);
  if (sigma) $("iso-width").value = notchOf(sigma);
  $("iso-rates").textContent = !hasWidth ? "this kernel has no width" : sigma ? ratesOf(wanted.gamma) : "";
}

// The slider goes from a two-hundredth of the spread of the points to five times it, by equal factors.
const widthAt = (notch) => (spread() / 200) * 1000 ** (notch / NOTCHES);
const notchOf = (sigma) => Math.round((NOTCHES * Math.log((200 * sigma) / spread())) / Math.log(1000));

function words() {
  const counts = answer.projections.map((projection) => outstanding(projection).length);
  const alone = counts.filter((count) => count === 1).length;
  const said = alone === counts.length ? "Every projection singles out one point." : `Ringed points stand out, beyond half of the largest projection: ${counts.join(", ")} of ${rows().length}.`;
  const farthest = ({ points }) => points.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
  const sign = answer.projections.every((projection) => farthest(projection) > 0) ? "; the point farthest out is on the warm side, which fixes the sign" : "";
  return `${said} The thick line is zero${sign}. ${answer.there} ${answer.there === 1 ? "projection was" : "projections were"} fitted.`;
}

function valuesAt(place) {
  const { left, right, bottom, top } = asked;
  const column = Math.floor(((place[0] - left) / (right - left)) * answer.width);
  const row = Math.floor(((top - place[1]) / (top - bottom)) * answer.height);
  if (column < 0 || row < 0 || column >= answer.width || row >= answer.height) return words();
  const heights = answer.projections.map((projection) => `${projection.index + 1}: ${neat(relief(projection, wanted.lines).heights[row * answer.width + column])}`);
  return `At (${neat(place[0])}, ${neat(place[1])}) the projections are ${heights.join(", ")}.`;
}

function tell(text, bad = false) {
  $("iso-words").textContent = text;
  $("iso-words").classList.toggle("bad", bad);
}

function zoomBy(factor, at = null) {
  const held = at ?? [view.x, view.y];
  view = { x: held[0] + (view.x - held[0]) * factor, y: held[1] + (view.y - held[1]) * factor, across: view.across * factor, up: view.up * factor };
  findSoon();
}

// The place of the plane under the pointer, whichever picture it is in.
function under(event) {
  const canvas = $("iso-canvas");
  const list = frames(framed, canvas.clientWidth, canvas.clientHeight);
  const frame = list.find(({ x, y, wide, tall }) => event.offsetX >= x && event.offsetX <= x + wide && event.offsetY >= y && event.offsetY <= y + tall);
  return frame ? { frame, place: scaleOf(frame, region()).toWorld([event.offsetX, event.offsetY]) } : null;
}

function wireCanvas() {
  const canvas = $("iso-canvas");
  let from = null;
  canvas.onpointerdown = (event) => {
    const there = under(event);
    if (!there) return;
    canvas.setPointerCapture(event.pointerId);
    from = { at: [event.offsetX, event.offsetY], view: { ...view }, frame: there.frame, part: region() };
  };
  canvas.onpointermove = (event) => {
    if (from) {
      const { part, frame } = from;
      view = { ...from.view, x: from.view.x - ((event.offsetX - from.at[0]) / frame.wide) * (part.right - part.left), y: from.view.y + ((event.offsetY - from.at[1]) / frame.tall) * (part.top - part.bottom) };
      return findSoon();
    }
    pointed = under(event)?.place ?? null;
    if (answer) show();
  };
  canvas.onpointerup = () => { from = null; };
  canvas.onpointerleave = () => {
    pointed = null;
    if (answer) show();
  };
  canvas.onwheel = (event) => {
    event.preventDefault();
    zoomBy(Math.exp(event.deltaY * 0.0015), under(event)?.place);
  };
  canvas.onkeydown = (event) => {
    const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    const factor = { "+": 0.8, "=": 0.8, "-": 1.25 }[event.key];
    if (!move && !factor) return;
    event.preventDefault();
    if (factor) return zoomBy(factor);
    view = { ...view, x: view.x + 0.1 * view.across * move[0], y: view.y + 0.1 * view.up * move[1] };
    findSoon();
  };
}

function open() {
  wanted.gamma = ownGamma();
  begin();
}

// Opens with what is wanted already said.
function begin() {
  if (!$("isolines").open) $("isolines").showModal();
  for (const [id, name] of [["iso-count", "count"], ["iso-first", "first"], ["iso-cells", "cells"], ["iso-lines", "lines"]]) $(id).value = wanted[name];
  $("iso-source").textContent = subjectWords();
  framed = wanted.count;
  view ??= everything();
  pointed = null;
  find();
}

/** Opens the isolines of a link. */
export async function openIsolines(packed) {
  const { view: itsView, ...rest } = await unpack(packed);
  for (const name of Object.keys(wanted)) if (Number.isFinite(rest[name]) && rest[name] > 0) wanted[name] = rest[name];
  view = ["x", "y", "across", "up"].every((name) => Number.isFinite(itsView?.[name])) ? itsView : null;
  begin();
}

async function copyLink() {
  const link = `#session=${await pack(session())}&isolines=${await pack({ ...wanted, view })}`;
  history.replaceState(null, "", link);
  await navigator.clipboard?.writeText(location.href);
  tell("The link to these isolines is in the address and in the clipboard.");
}

function exported(kind) {
  if (!answer) throw new Error("there is nothing to save yet");
  return savePainting("isolines", kind, [$("iso-canvas").clientWidth, $("iso-canvas").clientHeight], paintOn);
}

const told = (work) => async () => {
  try {
    await work();
  } catch (error) {
    tell(error.message, true);
  }
};

export function wireIsolines() {
  $("open-isolines").onclick = guarded(open);
  $("show-isolines").onclick = guarded(open);
  const whole = (id, name, least, most) => {
    $(id).onchange = () => {
      wanted[name] = Math.max(least, Math.min(most, Math.round(Number($(id).value)) || least));
      $(id).value = wanted[name];
      framed = wanted.count;
      if (name === "lines") show();
      else find();
    };
  };
  whole("iso-count", "count", 1, 12);
  whole("iso-first", "first", 1, 999);
  whole("iso-cells", "cells", 10, 300);
  whole("iso-lines", "lines", 1, 20);
  const width = (sigma) => {
    if (!(sigma > 0)) return;
    wanted.gamma = 0.5 / (sigma * sigma);
    findSoon();
  };
  $("iso-width").oninput = () => width(Number(widthAt(Number($("iso-width").value)).toPrecision(3)));
  $("iso-sigma").onchange = () => width(Number($("iso-sigma").value));
  $("iso-in").onclick = () => zoomBy(0.8);
  $("iso-out").onclick = () => zoomBy(1.25);
  $("iso-fit").onclick = () => {
    view = everything();
    findSoon();
  };
  $("iso-use").onclick = () => {
    setParameter("gamma", Number(wanted.gamma.toPrecision(6)));
    $("isolines").close();
  };
  $("iso-link").onclick = told(copyLink);
  $("iso-svg").onclick = told(() => exported("svg"));
  $("iso-png").onclick = told(() => exported("png"));
  $("isolines").onclose = () => {
    question.stop();
    clearTimeout(timer);
    timer = null;
    view = null;
  };
  wireCanvas();
}
