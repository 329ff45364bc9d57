// The explorer of distributions: laws of one variable, of two, and the density of the model.

import { ask, job } from "./api.js";
import { fillForm } from "./form.js";
import { PAIRS, conditional, gaussianConditional, marginal, modelJoint, moments, pairJoint } from "./joint.js";
import { layout, paintJoint, valueAt } from "./jointview.js";
import { paintLaw, placeAt } from "./lawcurve.js";
import { cells } from "./maps.js";
import { $, neat, sharp } from "./parts.js";
import { shown } from "./picture.js";
import { turns } from "./space.js";
import { guarded } from "./say.js";
import { SOURCES, mixed } from "./sources.js";
import { REACH as SPREAD, paintSources } from "./sourcesview.js";
import { state } from "./state.js";
import { paintSurface } from "./surface.js";

/** How far the plane of two laws reaches up and down; to the sides as far as circles stay round. */
const REACH = 5;
const DEVIATIONS = { deviation_x: 1, deviation_y: 1, correlation: 0.6 };
/** How much of each source goes into each variable. */
const MIXING = { "s₁ into x₁": 1, "s₂ into x₁": -0.5, "s₁ into x₂": 1.2, "s₂ into x₂": 0.8 };

let laws = [];
let values = {};
let law = null;
// The place on the axis of one law; the slice through two.
let place = null;
const slice = { variable: 0, value: 1 };
// The newest question to the server; answers to older ones are too late.
let asked = 0;

const kind = () => $("law-kind").value;
const inPlane = () => kind() === "two" || kind() === "model";
const isSurface = () => inPlane() && $("law-view").value === "surface";

/** The density that the model has all over the picture; nothing where it has none. */
export function modelDensity() {
  const { answer, region } = shown;
  const map = answer?.abilities.includes("log-density") && answer.maps.findLast(({ kind: its }) => its === "values");
  return map ? modelJoint(cells(map), map, region) : null;
}

function choose() {
  place = null;
  values = {};
  const names = { one: laws.map(({ name }) => name), two: Object.keys(PAIRS), sources: Object.keys(SOURCES), model: [] }[kind()];
  $("law-name").replaceChildren(...names.map((name) => new Option(name, name)));
  $("law-name").hidden = !names.length;
  for (const id of ["law-view", "law-slice"]) $(id).hidden = !inPlane();
  if (kind() === "model") centre();
  fill();
}

// The slice of a model begins in the middle of its picture.
function centre() {
  const { x, y } = state.view;
  slice.value = slice.variable === 0 ? y : x;
}

function fill() {
  const name = $("law-name").value;
  const one = laws.find((candidate) => candidate.name === name);
  const schema = { one: one?.schema, two: pairSchema(name), sources: mixingSchema(), model: { properties: {} } }[kind()];
  $("law-summary").textContent = { one: one?.summary, two: PAIRS[name]?.summary, sources: SOURCES[name]?.summary, model: "The density that the method has learned, with histograms of the points on either side." }[kind()];
  fillForm($("law-form"), schema, values, (parameter, value) => {
    values[parameter] = value;
    guarded(show)();
  });
  guarded(show)();
}

const number = (usual, minimum, maximum) => ({ type: "number", default: usual, minimum, maximum });

const mixingSchema = () => ({ properties: Object.fromEntries(Object.entries(MIXING).map(([name, usual]) => [name, number(usual, -2, 2)])) });

function pairSchema(name) {
  const properties = { deviation_x: number(1, 0.2, 1.6), deviation_y: number(1, 0.2, 1.6) };
  if (PAIRS[name]?.correlated) properties.correlation = number(DEVIATIONS.correlation, -0.98, 0.98);
  return { properties };
}

function pair() {
  const { deviation_x: a, deviation_y: b, correlation } = { ...DEVIATIONS, ...values };
  return { law: $("law-name").value, deviations: [a, b], correlation: PAIRS[$("law-name").value].correlated ? correlation : 0 };
}

async function show() {
  if (inPlane()) return showPlane();
  if (kind() === "sources") return showSources();
  const mine = ++asked;
  try {
    const answer = await job("/api/law", { name: $("law-name").value, parameters: values, at: place }, undefined, () => {});
    if (mine !== asked) return;
    law = answer;
    repaint();
    tell(`Mean ${said(law.mean)}, deviation ${said(law.deviation)}, median ${neat(law.median)}. At x = ${neat(law.at.x)}: density ${said(law.at.density)}, P(X ≤ x) = ${neat(law.at.cumulative)}. Drag over the picture.`);
  } catch (error) {
    if (mine === asked) tell(error.message, true);
  }
}

const said = (value) => (value === null ? "none" : neat(value));

function tell(text, bad = false) {
  $("law-words").textContent = text;
  $("law-words").classList.toggle("bad", bad);
}

function plane() {
  const chosen = kind() === "two" ? pair() : null;
  const { wide, tall } = layout($("law-canvas").clientWidth, $("law-canvas").clientHeight);
  // A surface fills its ground; seen from above the ground stays, so that laws are compared.
  const near = chosen && 3.2 * Math.max(...chosen.deviations);
  const joint = chosen ? pairJoint(chosen, isSurface() ? [near, near] : [(REACH * wide) / tall, REACH]) : modelDensity();
  const points = chosen ? null : state.drawing.points.map(({ c }) => state.axes.map((axis) => c[axis]));
  return { joint, pair: chosen && PAIRS[chosen.law].correlated ? chosen : null, points, ...slice };
}

function showPlane() {
  // An answer about one variable that is still on its way is too late.
  asked++;
  repaint();
  const { joint, pair: gaussian } = plane();
  if (!joint) return tell("The method has no density of two columns; choose a mixture or a classifier by densities.", true);
  const [own, other] = slice.variable === 0 ? ["x", "y"] : ["y", "x"];
  const alone = gaussian ? { mean: 0, deviation: gaussian.deviations[slice.variable] } : moments(marginal(joint, slice.variable));
  const known = gaussian ? gaussianConditional(gaussian, slice.variable, slice.value) : moments(conditional(joint, slice.variable, slice.value));
  tell(`On its own ${own} has mean ${neat(alone.mean)} and deviation ${neat(alone.deviation)}; where ${other} = ${neat(slice.value)}, mean ${neat(known.mean)} and deviation ${neat(known.deviation)}. ${isSurface() ? "Drag to turn." : "Drag the slice."}`);
}

/** The sources that are chosen, before and after. */
export function chosenSources() {
  const [a, b, c, d] = Object.values({ ...MIXING, ...values });
  return mixed({ shapes: SOURCES[$("law-name").value].shapes, mixing: [[a, b], [c, d]] }, SPREAD);
}

function showSources() {
  asked++;
  repaint();
  const found = chosenSources();
  if (!found) return tell("This mixture loses a source: its rows point the same way. Change one of them.", true);
  const [before, after] = found.sides.map((pair) => pair.map(({ negentropy }) => negentropy));
  const sum = ([one, two]) => one + two;
  const near = (value) => value.toFixed(4);
  tell(`Negentropy J, how far a law is from the bell, in nats: ${before.map(near).join(" and ")} of the sources, together ${near(sum(before))}; ${after.map(near).join(" and ")} after mixing and whitening, together ${near(sum(after))}. What fell, ${near(sum(before) - sum(after))}, is what each side now says about the other.`);
}

function repaint() {
  const [context, width, height] = sharp($("law-canvas"));
  if (kind() === "sources") {
    const found = chosenSources();
    if (found) paintSources(context, width, height, found);
    return;
  }
  if (!inPlane()) return paintLaw(context, width, height, law);
  const view = plane();
  if (!view.joint) return;
  if (isSurface()) paintSurface(context, width, height, view.joint, view.pair);
  else paintJoint(context, width, height, view);
}

function drag(event) {
  const canvas = $("law-canvas");
  if (!event.buttons || isSurface() || kind() === "sources") return;
  if (!inPlane()) place = placeAt(law, event.offsetX, canvas.clientWidth);
  else if (plane().joint) slice.value = valueAt(plane().joint, slice.variable, [event.offsetX, event.offsetY], canvas.clientWidth, canvas.clientHeight);
  guarded(show)();
}

// Arrows move the place or the slice by a hundredth of what is seen.
function byKey(event) {
  const way = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (!way || isSurface() || kind() === "sources") return;
  event.preventDefault();
  if (!inPlane()) {
    place = law.at.x + (way * (law.x.at(-1) - law.x[0])) / 100;
  } else if (plane().joint) {
    const [low, high] = plane().joint.edges[1 - slice.variable];
    slice.value = Math.max(low, Math.min(high, slice.value + (way * (high - low)) / 100));
  }
  guarded(show)();
}

export function wireLaws() {
  $("open-laws").onclick = guarded(async () => {
    if (!laws.length) laws = await ask("/api/laws");
    $("law-kind").querySelector("[value=model]").disabled = !modelDensity();
    if (kind() === "model" && !modelDensity()) $("law-kind").value = "one";
    $("laws").showModal();
    choose();
  });
  $("law-kind").onchange = choose;
  $("law-name").onchange = () => {
    values = {};
    place = null;
    fill();
  };
  $("law-view").onchange = guarded(show);
  $("law-slice").onchange = () => {
    slice.variable = Number($("law-slice").value);
    if (kind() === "model") centre();
    guarded(show)();
  };
  const canvas = $("law-canvas");
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    drag(event);
  });
  canvas.addEventListener("pointermove", drag);
  canvas.addEventListener("keydown", byKey);
  turns(canvas, isSurface, repaint);
}
