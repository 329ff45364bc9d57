// The dialog that judges the method: pictures of the plot crate, with their choices.

import { job } from "./api.js";
import { question } from "./fitting.js";
import { resolved } from "./form.js";
import { $ } from "./parts.js";
import { save } from "./share.js";
import { state } from "./state.js";

// How a method computes matters less than what it computes, so these come last.
const TECHNICAL = ["max_iter", "tol", "random_state", "n_init"];
let kinds = [];
let running = null;
let shown = null;

/** What the model can be judged by; called after every fit. */
export function offer(pictures) {
  kinds = pictures ?? [];
  $("open-judge").disabled = !kinds.length;
}

/** Opens the dialog; `schema` is that of the last step. */
export function openJudge(schema) {
  const before = $("picture-kind").value;
  $("picture-kind").replaceChildren(...kinds.map((kind) => new Option(kind.id.replaceAll("-", " "), kind.id)));
  if (kinds.some((kind) => kind.id === before)) $("picture-kind").value = before;
  $("picture-kind").onchange = () => choose(schema);
  $("threshold").oninput = show;
  $("draw-picture").onclick = show;
  $("save-picture").onclick = () => save(`${$("picture-kind").value}.svg`, shown, "image/svg+xml");
  $("judge").onclose = () => running?.abort();
  $("judge").showModal();
  choose(schema);
}

const chosenKind = () => kinds.find((kind) => kind.id === $("picture-kind").value);

function choose(schema) {
  const kind = chosenKind();
  $("picture-summary").textContent = kind.summary;
  $("threshold-row").hidden = !(kind.id === "roc" && state.drawing.classes.length === 2);
  const numeric = Object.entries(schema.properties ?? {}).filter(([, part]) => isNumeric(resolved(schema, part), schema)).map(([name]) => name);
  numeric.sort((a, b) => TECHNICAL.includes(a) - TECHNICAL.includes(b));
  $("vary").replaceChildren(...Array.from({ length: kind.parameters }, (_, index) => vary(numeric, index)));
  if (kind.parameters > numeric.length) {
    fail(`this method has only ${numeric.length} parameters that are numbers`);
  } else {
    show();
  }
}

function isNumeric(part, schema) {
  const types = [part.type, ...(part.anyOf ?? []).map((option) => resolved(schema, option).type)].flat();
  return types.includes("number") || types.includes("integer");
}

// A parameter to vary and, where one likes, the values to try.
function vary(names, index) {
  const row = document.createElement("div");
  row.className = "row";
  const select = document.createElement("select");
  select.setAttribute("aria-label", `parameter ${index + 1}`);
  select.append(...names.map((name, place) => new Option(name, name, false, place === index)));
  const values = document.createElement("input");
  values.placeholder = "values such as 1, 3, 10; empty for its whole range";
  values.setAttribute("aria-label", `values of parameter ${index + 1}`);
  select.onchange = show;
  values.onchange = show;
  row.append(select, values);
  return row;
}

function parameters() {
  return [...$("vary").children].map((row) => {
    const [select, values] = row.children;
    const list = values.value.split(/[\s,;]+/).filter(Boolean).map(Number);
    if (list.some(Number.isNaN)) throw new Error(`the values of ${select.value} must be numbers`);
    return [select.value, list];
  });
}

async function show() {
  running?.abort();
  const mine = new AbortController();
  running = mine;
  const kind = chosenKind();
  try {
    const request = question(state.steps, false);
    if (!request) throw new Error("draw some points first");
    Object.assign(request, { kind: kind.id, parameters: parameters(), dark: document.documentElement.dataset.theme === "dark" });
    if (!$("threshold-row").hidden) {
      request.threshold = Number($("threshold").value) / 100;
      $("threshold-value").textContent = request.threshold.toFixed(2);
    }
    $("picture-status").textContent = kind.refits ? "fitting many times …" : "";
    $("picture-bar").hidden = !kind.refits;
    $("picture-bar").removeAttribute("value");
    const answer = await job("/api/picture", request, mine.signal, ({ iteration, limit }) => {
      if (limit && running === mine) $("picture-bar").value = iteration / limit;
    });
    if (running !== mine) return;
    $("picture-bar").hidden = true;
    shown = answer.svg;
    $("picture").src = URL.createObjectURL(new Blob([shown], { type: "image/svg+xml" }));
    $("picture").alt = kind.summary;
    $("picture").hidden = false;
    $("save-picture").disabled = false;
    $("picture-status").textContent = answer.counts ? counted(answer.counts) : "";
    $("picture-status").classList.remove("bad");
  } catch (error) {
    if (!mine.signal.aborted) fail(error.message);
  }
}

function counted(counts) {
  const [other, positive] = state.drawing.classes;
  return `${positive}: ${counts.true_positives} found, ${counts.false_negatives} missed (false negatives); ${other}: ${counts.false_positives} false alarms (false positives), ${counts.true_negatives} left in peace.`;
}

function fail(message) {
  $("picture-bar").hidden = true;
  $("picture").hidden = true;
  $("save-picture").disabled = true;
  $("picture-status").textContent = message;
  $("picture-status").classList.add("bad");
}
