// What can be varied in small multiples: the parameters of the method and the noise on the points, and their values.

import { last, parametersOf } from "./catalogue.js";
import { resolved } from "./form.js";
import { $ } from "./parts.js";
import { noisy } from "./noise.js";
import { state } from "./state.js";

/** White noise on the points is varied like a parameter. */
export const NOISE = "noise on the points";
const NOISE_SCHEMA = { type: "number", minimum: 0, default: 0 };

// Seeds and limits vary how, not what is computed; they come after the rest.
const TECHNICAL = ["max_iter", "tol", "random_state", "n_init"];

/** What can be varied: names with their schemas, those that say most first. */
export function variable() {
  const usable = parametersOf(last().algorithm).filter(([, part, schema]) => kindOf(part, schema));
  usable.sort((a, b) => rank(a) - rank(b));
  return [...usable, [NOISE, NOISE_SCHEMA, {}]];
}

// Numbers say most when they vary, then words, then switches.
const RANKS = { words: 1, boolean: 2 };
const rank = ([name, part, schema]) => (TECHNICAL.includes(name) ? 9 : RANKS[kindOf(part, schema)] ?? 0);

// "words", "boolean", "integer", "number" or "sizes" (a list of whole numbers); nothing for what cannot be varied.
function kindOf(part, schema) {
  if (words(part).length) return "words";
  const options = [part, ...(part.anyOf ?? [])].map((option) => (option.$ref ? schema.$defs[option.$ref.split("/").pop()] : option));
  const types = options.flatMap((option) => option.type ?? []);
  if (types.includes("array") && resolved(schema, part.items ?? {}).type === "integer") return "sizes";
  return ["boolean", "integer", "number"].find((type) => types.includes(type));
}

const words = (part) => part.enum ?? (part.oneOf ?? []).flatMap((option) => (option.const !== undefined ? [option.const] : option.enum ?? []));

const chosen = () => variable().find(([name]) => name === $("sweep-parameter").value);

/** The kind of values of what is varied. */
export const chosenKind = () => kindOf(...chosen().slice(1));

/** Writes values that are worth seeing: every word, or numbers around the one that is set. */
export function suggest() {
  if (!chosen()) return;
  const [name, part, schema] = chosen();
  const now = last().parameters[name] ?? part.default;
  $("sweep-values").value = usual(name, part, kindOf(part, schema), now).map((value) => (typeof value === "number" ? Number(value.toPrecision(3)) : value)).join(", ");
}

function usual(name, part, kind, now) {
  const least = part.minimum ?? part.exclusiveMinimum ?? -Infinity;
  const most = part.maximum ?? part.exclusiveMaximum ?? Infinity;
  if (kind === "words") return words(part);
  if (kind === "boolean") return [false, true];
  if (kind === "sizes") return [1, 2, 3, 5, 10, 20];
  if (name === "random_state") return [0, 1, 2, 3, 4, 5];
  if (name === NOISE) return [0, 0.1, 0.2, 0.4, 0.8, 1.6];
  if (kind === "integer") return [...new Set([1, 2, 3, 5, 9, 15].map((step) => Math.max(least, Math.min(most, now > 20 ? Math.round((now * step) / 5) : step))))];
  if (Number.isFinite(most)) return [0.02, 0.2, 0.4, 0.6, 0.8, 0.98].map((share) => Math.max(least, 0) + share * (most - Math.max(least, 0)));
  return [0.01, 0.1, 0.5, 2, 10, 100].map((factor) => factor * (Math.abs(now) || 1));
}

/** The values that are written down; fails with a sentence where one is none, or where there are too many. */
export function values(most) {
  const kind = chosenKind();
  const list = $("sweep-values").value.split(/[\s,;]+/).filter(Boolean);
  if (!list.length) throw new Error("name at least one value");
  if (list.length > most) throw new Error(`at most ${most} values are tried at once`);
  return list.map((text) => {
    if (kind === "words") return text;
    if (kind === "boolean") return text === "true";
    if (kind === "sizes") return text.split(/[x×]/).map((part) => number(part));
    return number(text);
  });
}

function number(text) {
  if (!Number.isFinite(Number(text)) || text === "") throw new Error(`${text || "nothing"} is not a number`);
  return Number(text);
}

/** A value as people write it: layers as 8×4. */
export const written = (value) => (Array.isArray(value) ? value.join("×") : String(value));

/** The steps with a value, and the points that go with it. */
export function varied(name, value) {
  const steps = structuredClone(state.steps);
  if (name === NOISE) return { steps, drawing: noisy(state.drawing, value) };
  steps.at(-1).parameters[name] = value;
  return { steps, drawing: state.drawing };
}
