// Choosing a method and its parameters, and the steps before it.

import { catalogue, entry, last, offers } from "./catalogue.js";
import { grouped } from "./families.js";
import { defaults, fillForm } from "./form.js";
import { $, button, element } from "./parts.js";
import { offerCounts } from "./quality.js";
import { changed, state } from "./state.js";

const TASKS = ["classification", "clustering", "regression", "transformation", "views", "density", "sequence"];

// The step whose parameters the form shows; the method itself unless one before it is chosen.
let editing = null;

/** Wires the controls, once the catalogue is there. */
export function wireMethods() {
  // Only kinds of learning that some method has can be chosen.
  const kinds = [...new Set(catalogue.flatMap((e) => e.routes.map((route) => route.learning)))].sort();
  $("learning").replaceChildren(new Option("every kind of learning", ""), ...kinds.map((kind) => new Option(kind, kind)));
  $("learning").onchange = listMethods;
  $("search").oninput = listMethods;
  $("methods").onkeydown = (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!way) return;
    event.preventDefault();
    const buttons = [...$("methods").querySelectorAll("button")];
    buttons[buttons.indexOf(document.activeElement) + way]?.focus();
  };
  // From the search one steps into the list.
  $("search").onkeydown = (event) => {
    if (event.key === "ArrowDown") $("methods").querySelector("button")?.focus();
  };
  const transformers = catalogue.filter((e) => e.routes.some((route) => route.task === "transformation"));
  $("add-step").replaceChildren(new Option("add a step …", ""), ...transformers.map((method) => new Option(method.id, method.id)));
  $("add-step").onchange = () => {
    if ($("add-step").value) insertStep($("add-step").value);
    $("add-step").value = "";
  };
}

function insertStep(algorithm) {
  state.steps.splice(state.steps.length - 1, 0, { algorithm, parameters: {} });
  editing = state.steps.length - 2;
  changed("method");
}

function listMethods() {
  const wanted = $("search").value.trim().toLowerCase();
  const learning = $("learning").value;
  const box = $("methods");
  box.replaceChildren();
  for (const task of TASKS) {
    const fits = (route) => route.task === task && (!learning || route.learning === learning);
    const found = catalogue.filter((e) => offers(e).some(fits) && `${e.id} ${e.name} ${e.summary} ${e.family} ${task}`.toLowerCase().includes(wanted));
    for (const [title, group] of grouped(task, found)) box.append(element("h3", title), ...group.map((method) => option(method, task)));
  }
  if (!box.children.length) box.append(element("p", "No method is called so.", "quiet"));
  const chosen = box.querySelector("[aria-selected=true]");
  // The Tab key stops at the list once; arrows move inside it.
  const stop = chosen ?? box.querySelector("button");
  if (stop) stop.tabIndex = 0;
  if (chosen) box.scrollTop = chosen.offsetTop - box.offsetTop - 40;
}

function option(method, task) {
  const made = button(method.id, method.summary, () => choose(method.id, task));
  made.setAttribute("role", "option");
  made.tabIndex = -1;
  made.setAttribute("aria-selected", String(last()?.algorithm === method.id && state.task === task));
  return made;
}

function choose(id, task) {
  state.task = task;
  state.steps = [...state.steps.slice(0, -1), { algorithm: id, parameters: {} }];
  editing = null;
  changed("method");
}

/** Shows the method and the parameters of the step that is being edited. */
export function showMethod() {
  listMethods();
  if (editing !== null && editing >= state.steps.length - 1) editing = null;
  const step = editing === null ? last() : state.steps[editing];
  const method = step && entry(step.algorithm);
  if (!method) return;
  $("form-title").textContent = method.name;
  $("summary").textContent = method.summary;
  const { objective, cost } = method.card;
  $("card").textContent = [objective && `Objective: ${objective}.`, cost && `Cost: ${cost}.`].filter(Boolean).join(" ");
  offerCounts(entry(last().algorithm).schema.properties ?? {});
  fillForm($("form"), method.schema, step.parameters, (name, value) => {
    const standard = defaults(method.schema)[name];
    if (JSON.stringify(value) === JSON.stringify(standard)) delete step.parameters[name];
    else step.parameters[name] = value;
    state.step = null;
    changed("parameters");
  });
  showPipeline();
}

/** Sets a parameter of the method. */
export function setParameter(name, value) {
  last().parameters[name] = value;
  showMethod();
  changed("parameters");
}

// The steps in their order; a click shows the parameters of one.
function showPipeline() {
  const shownStep = editing ?? state.steps.length - 1;
  $("pipeline").replaceChildren(...state.steps.map((step, index) => {
    const line = element("span", undefined, "step");
    const name = button(step.algorithm, "Show its parameters", () => {
      editing = index === state.steps.length - 1 ? null : index;
      showMethod();
    });
    name.setAttribute("aria-pressed", String(index === shownStep));
    line.append(name);
    if (index < state.steps.length - 1) {
      const remove = button("×", "Remove this step", () => {
        state.steps.splice(index, 1);
        editing = null;
        changed("method");
      });
      remove.setAttribute("aria-label", `Remove ${step.algorithm}`);
      line.append(remove, element("span", "→", "quiet"));
    }
    return line;
  }));
}
