// The page: wires the controls to the state, and the state to the picture.

import { ask, file, job } from "./api.js";
import { code, csv, specification } from "./code.js";
import { drawingOf } from "./csv.js";
import { wireDendrogram } from "./dendrogram.js";
import { fitNow, fitSoon, question, stop } from "./fitting.js";
import { defaults, fillForm } from "./form.js";
import { offer, openJudge } from "./judging.js";
import { css } from "./palette.js";
import { showContest, showModel, showTrace } from "./panels.js";
import { paint, prepare } from "./picture.js";
import { fitView, zoom } from "./plane.js";
import { offerCounts, wireQuality } from "./quality.js";
import { SCENES, sceneSession } from "./scenes.js";
import { pack, png, save, svg, unpack } from "./share.js";
import { canRedo, canUndo, changed, draw, onChange, redo, restore, session, state, undo } from "./state.js";
import { TOOLS, listen, removeSelected } from "./tools.js";

const $ = (id) => document.getElementById(id);
const LAYERS = { samples: "points", predictions: "predicted colours", geometry: "model geometry", map: "map", grid: "grid", legend: "legend" };
const TASKS = ["classification", "clustering", "regression", "transformation", "density", "sequence"];

let catalogue = [];
let fullTrace = null;
let playing = null;
const contest = [];

// ---- saying things ---------------------------------------------------------------------------

function say(text, bad = false, onStop = null) {
  const box = $("status");
  box.textContent = text;
  box.classList.toggle("bad", bad);
  if (onStop && text) {
    const button = document.createElement("button");
    button.textContent = "stop";
    button.style.cssText = "margin-left: 8px; pointer-events: auto; padding: 0 8px;";
    button.onclick = stop;
    box.append(button);
  }
}

const guarded = (work) => async (...given) => {
  try {
    await work(...given);
  } catch (error) {
    say(error.message, true);
  }
};

// ---- methods ---------------------------------------------------------------------------------

const entry = (id) => catalogue.find((candidate) => candidate.id === id);
const last = () => state.steps.at(-1);

function listMethods() {
  const wanted = $("search").value.trim().toLowerCase();
  const box = $("methods");
  box.replaceChildren();
  for (const task of TASKS) {
    const learning = $("learning").value;
    const fits = (route) => route.task === task && (!learning || route.learning === learning);
    const found = catalogue.filter((e) => e.routes.some(fits) && `${e.id} ${e.name} ${e.summary} ${e.family} ${task}`.toLowerCase().includes(wanted));
    if (!found.length) continue;
    const head = document.createElement("h3");
    head.textContent = task;
    box.append(head);
    for (const method of found) {
      const button = document.createElement("button");
      button.textContent = method.id;
      button.title = method.summary;
      button.setAttribute("role", "option");
      button.setAttribute("aria-selected", String(last()?.algorithm === method.id && state.task === task));
      button.onclick = () => choose(method.id, task);
      box.append(button);
      if (button.getAttribute("aria-selected") === "true") box.scrollTop = button.offsetTop - box.offsetTop - 40;
    }
  }
}

// Only kinds of learning that some method has can be chosen.
function showLearning() {
  const kinds = [...new Set(catalogue.flatMap((e) => e.routes.map((route) => route.learning)))].sort();
  $("learning").replaceChildren(new Option("every kind of learning", ""), ...kinds.map((kind) => new Option(kind, kind)));
  $("learning").onchange = listMethods;
}

function choose(id, task) {
  state.task = task;
  state.steps = [...state.steps.slice(0, -1), { algorithm: id, parameters: {} }];
  changed("method");
}

function showMethod() {
  listMethods();
  const method = last() && entry(last().algorithm);
  if (!method) return;
  $("form-title").textContent = method.name;
  $("summary").textContent = method.summary;
  offerCounts(method.schema.properties ?? {});
  fillForm($("form"), method.schema, last().parameters, (name, value) => {
    const standard = defaults(method.schema)[name];
    if (JSON.stringify(value) === JSON.stringify(standard)) delete last().parameters[name];
    else last().parameters[name] = value;
    state.step = null;
    changed("parameters");
  });
  showPipeline();
}

function setParameter(name, value) {
  last().parameters[name] = value;
  showMethod();
  changed("parameters");
}

function showPipeline() {
  const box = $("pipeline");
  box.replaceChildren();
  state.steps.slice(0, -1).forEach((step, index) => {
    const button = document.createElement("button");
    button.textContent = `${step.algorithm} ×`;
    button.title = "Remove this step";
    button.onclick = () => {
      state.steps.splice(index, 1);
      changed("method");
    };
    box.append(button);
  });
  const select = $("add-step");
  select.replaceChildren(new Option("add a step …", ""));
  for (const method of catalogue.filter((e) => e.routes.some((route) => route.task === "transformation"))) select.add(new Option(method.id, method.id));
  select.onchange = () => {
    if (!select.value) return;
    state.steps.splice(state.steps.length - 1, 0, { algorithm: select.value, parameters: {} });
    changed("method");
  };
}

// ---- fitting and stepping --------------------------------------------------------------------

function refit(wait) {
  fitSoon(fitted, say, wait);
}

function fitted(answer) {
  showModel(answer);
  offer(answer?.pictures);
  if (!state.step) fullTrace = answer?.trace ?? null;
  const iterative = fullTrace && entry(last().algorithm)?.schema.properties?.max_iter;
  $("stepper").hidden = !iterative;
  if (!iterative) return;
  const total = fullTrace.values.length;
  const at = Math.min(state.step ?? total, total);
  $("step-slider").max = total;
  $("step-slider").value = at;
  $("step-value").textContent = `iteration ${at} of ${total}`;
  showTrace($("trace"), fullTrace, at);
  if (playing) playing = setTimeout(() => stepTo(at + 1), 350);
}

function stepTo(iteration) {
  const total = fullTrace?.values.length ?? 1;
  clearTimeout(playing);
  if (iteration >= total) {
    state.step = null;
    stopPlaying();
  } else {
    state.step = Math.max(1, iteration);
  }
  fitNow(fitted, say);
}

function stopPlaying() {
  clearTimeout(playing);
  playing = null;
  $("step-play").textContent = "▶ play";
}

function play() {
  if (playing) {
    stopPlaying();
    return;
  }
  $("step-play").textContent = "❚❚ pause";
  playing = true;
  stepTo(state.step ? state.step + 1 : 1);
}

// ---- drawing controls ------------------------------------------------------------------------

function showTools() {
  const box = $("tools");
  box.replaceChildren();
  for (const [id, tool] of Object.entries(TOOLS)) {
    const button = document.createElement("button");
    button.textContent = tool.name;
    button.title = `${tool.help} (${tool.key.toUpperCase()})`;
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", String(state.tool === id));
    button.onclick = () => useTool(id);
    box.append(button);
  }
  const options = $("tool-options");
  options.replaceChildren();
  const limits = { radius: [5, 120], rate: [1, 40], count: [1, 500], spread: [0, 60] };
  for (const [name, value] of Object.entries(TOOLS[state.tool])) {
    const field = document.createElement("label");
    field.className = "field";
    if (limits[name]) {
      const [min, max] = limits[name];
      field.innerHTML = `<span>${name}</span><output>${value}</output><input type="range" min="${min}" max="${max}" value="${value}">`;
      const slider = field.querySelector("input");
      slider.oninput = () => {
        TOOLS[state.tool][name] = Number(slider.value);
        field.querySelector("output").textContent = slider.value;
      };
      options.append(field);
    } else if (name === "shape") {
      field.innerHTML = `<span>shape</span><select><option>normal</option><option>uniform</option></select>`;
      const select = field.querySelector("select");
      select.value = value;
      select.onchange = () => { TOOLS[state.tool].shape = select.value; };
      options.append(field);
    }
  }
}

function useTool(id) {
  state.tool = id;
  showTools();
}

function showClasses() {
  const box = $("classes");
  box.replaceChildren();
  const list = [...state.drawing.classes.map((name, index) => [name, index]), ["none", null]];
  for (const [name, index] of list) {
    const button = document.createElement("button");
    const dot = document.createElement("span");
    dot.className = "dot";
    dot.style.background = css(index);
    button.append(dot, name);
    button.title = index === null ? "No class (0)" : `Class ${name} (${index + 1})`;
    button.setAttribute("role", "radio");
    button.setAttribute("aria-checked", String(state.current === index));
    button.onclick = () => {
      state.current = index;
      showClasses();
    };
    box.append(button);
  }
}

function showAxes() {
  for (const [position, id] of ["axis-x", "axis-y"].entries()) {
    const select = $(id);
    select.replaceChildren(...state.drawing.names.map((name, index) => new Option(name, index, false, state.axes[position] === index)));
    select.onchange = () => {
      state.axes[position] = Number(select.value);
      fitView();
      changed("view");
    };
  }
}

function showLayers() {
  const box = $("layers");
  for (const [id, words] of Object.entries(LAYERS)) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = state.layers[id];
    input.name = `layer-${id}`;
    input.onchange = () => {
      state.layers[id] = input.checked;
      paint();
    };
    label.append(input, words);
    box.append(label);
  }
}

function showCounts() {
  const { points } = state.drawing;
  $("count").textContent = `${points.length} points`;
  $("hint").hidden = points.length > 0;
  $("undo").disabled = !canUndo();
  $("redo").disabled = !canRedo();
  $("share").value = state.share;
  $("share-value").textContent = `${state.share} %`;
}

// ---- data ------------------------------------------------------------------------------------

function adopt(found) {
  const { rows, labels, classes, values, names, lengths } = found;
  const wide = rows[0]?.length >= 2;
  // A measured target, or the position of a lone column, is one more coordinate.
  const extra = values ?? (wide ? null : rows.map((_, index) => index));
  const strokes = lengths?.flatMap((length, stroke) => Array(length).fill(stroke));
  const points = rows.map((row, index) => ({ c: extra ? [...row, extra[index]] : row, k: labels?.[index] ?? 0, s: strokes?.[index] ?? null }));
  state.axes = values ? [0, names.length] : [0, 1];
  state.step = null;
  $("lesson").hidden = true;
  draw({ names: extra ? [...names, values ? "target" : "position"] : names, classes: classes.length > 1 ? classes : ["A", "B"], points });
  fitView();
  changed("view");
}

async function showData() {
  const generators = await ask("/api/generators");
  const usable = generators.filter((g) => g.info.task !== "recommendation");
  const select = $("generator");
  select.replaceChildren(...usable.map((g, index) => new Option(g.info.name, index)));
  let values = {};
  const show = () => {
    const chosen = usable[select.value];
    values = {};
    $("generator-summary").textContent = chosen.info.description;
    fillForm($("generator-form"), chosen.schema, values, (name, value) => { values[name] = value; });
  };
  select.onchange = show;
  show();
  $("generate").onclick = guarded(async () => {
    adopt(await ask("/api/generate", { id: usable[select.value].info.id, parameters: values, seed: state.seed++ }));
    $("data").close();
  });
  const sets = await ask("/api/datasets");
  $("datasets").replaceChildren(...sets.filter((set) => set.task !== "recommendation").map((set) => {
    const button = document.createElement("button");
    button.textContent = set.name;
    button.title = set.description;
    button.onclick = guarded(async () => {
      adopt(await ask(`/api/datasets/${set.id}`));
      $("data").close();
    });
    return button;
  }));
}

function takeText(text) {
  draw(drawingOf(text));
  state.axes = [0, 1];
  fitView();
  changed("view");
}

// ---- scenes, links, export -------------------------------------------------------------------

function showScenes() {
  $("scenes").querySelector(".cards").replaceChildren(...SCENES.map((scene) => {
    const card = document.createElement("button");
    const title = document.createElement("b");
    title.textContent = scene.title;
    const lesson = document.createElement("span");
    lesson.textContent = scene.lesson;
    card.append(title, lesson);
    card.onclick = () => {
      openScene(scene);
      history.replaceState(null, "", `#scene=${scene.id}`);
      $("scenes").close();
    };
    return card;
  }));
}

function openScene(scene) {
  stopPlaying();
  restore(sceneSession(scene));
  fitView();
  changed("view");
  $("lesson").textContent = scene.lesson;
  $("lesson").hidden = false;
}

async function openLink() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const scene = SCENES.find((candidate) => candidate.id === hash.get("scene"));
  if (scene) openScene(scene);
  else if (hash.get("session")) restore(await unpack(hash.get("session")));
}

async function showSharing() {
  const packed = await pack(session());
  $("link").value = `${location.origin}/#session=${packed}`;
  showCode("command");
}

function showCode(language) {
  for (const tab of document.querySelectorAll("[data-language]")) tab.setAttribute("aria-selected", String(tab.dataset.language === language));
  $("code").value = code(language);
}

function wireSharing() {
  $("copy-link").onclick = guarded(async () => {
    history.replaceState(null, "", new URL($("link").value).hash);
    await navigator.clipboard?.writeText($("link").value);
    say("the link is in the clipboard");
  });
  $("save-state").onclick = () => save("session.json", JSON.stringify(session()), "application/json");
  $("open-state").onchange = guarded(async (event) => {
    restore(JSON.parse(await event.target.files[0].text()));
    $("sharing").close();
  });
  $("save-csv").onclick = () => save("points.csv", csv(), "text/csv");
  $("save-png").onclick = guarded(async () => save("didact.png", await png()));
  $("save-svg").onclick = guarded(async () => save("didact.svg", await svg(), "image/svg+xml"));
  $("save-model").onclick = guarded(async () => {
    const request = question(state.steps, false);
    if (!request) throw new Error("there is no model yet");
    save("model.didact", await file("/api/model", request));
  });
  for (const tab of document.querySelectorAll("[data-language]")) tab.onclick = () => showCode(tab.dataset.language);
}

// ---- comparing -------------------------------------------------------------------------------

function showContestants() {
  $("contest").replaceChildren(...contest.map((steps, index) => {
    const line = document.createElement("div");
    line.className = "entry";
    line.append(specification(steps));
    const remove = document.createElement("button");
    remove.textContent = "×";
    remove.setAttribute("aria-label", "Remove");
    remove.onclick = () => {
      contest.splice(index, 1);
      showContestants();
    };
    line.append(remove);
    return line;
  }));
  $("compare").disabled = contest.length === 0;
}

const compare = guarded(async () => {
  const request = question(contest[0], false);
  if (!request) throw new Error("draw some points first");
  delete request.train;
  const body = { ...request, others: contest.slice(1), folds: 5, seed: 0 };
  const answer = await job("/api/judge", body, undefined, (progress) => say(`fold ${progress.iteration} of ${progress.limit}`));
  say("");
  showContest($("results"), answer.methods);
});

// ---- keyboard --------------------------------------------------------------------------------

function keyboard(event) {
  if (event.target.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
  const control = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (control && key === "z") (event.shiftKey ? redo : undo)();
  else if (control && key === "y") redo();
  else if (control) return;
  else if (key === "f") $("fit-view").click();
  else if (key === "delete" || key === "backspace") removeSelected();
  else if (key === " " && !$("stepper").hidden) play();
  else if (key === "0") { state.current = null; showClasses(); }
  else if (/^[1-9]$/.test(key) && key <= state.drawing.classes.length) { state.current = Number(key) - 1; showClasses(); }
  else {
    const tool = Object.entries(TOOLS).find(([, t]) => t.key === key);
    if (!tool) return;
    useTool(tool[0]);
  }
  event.preventDefault();
}

// ---- start -----------------------------------------------------------------------------------

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  paint();
}

function wire() {
  $("undo").onclick = undo;
  $("redo").onclick = redo;
  $("fit-view").onclick = () => { fitView(); changed("view"); };
  $("theme").onclick = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  $("clear").onclick = () => {
    $("lesson").hidden = true;
    draw({ ...state.drawing, points: [] });
  };
  $("add-class").onclick = () => {
    const { classes } = state.drawing;
    draw({ ...state.drawing, classes: [...classes, String.fromCharCode(65 + (classes.length % 26)) + (classes.length >= 26 ? Math.floor(classes.length / 26) : "")] });
    state.current = state.drawing.classes.length - 1;
    showClasses();
  };
  $("share").oninput = () => { state.share = Number($("share").value); changed("drawing"); };
  $("search").oninput = listMethods;
  $("open-scenes").onclick = () => $("scenes").showModal();
  $("open-data").onclick = () => $("data").showModal();
  $("open-share").onclick = guarded(async () => { await showSharing(); $("sharing").showModal(); });
  $("file").onchange = guarded(async (event) => { takeText(await event.target.files[0].text()); $("data").close(); });
  $("use-paste").onclick = guarded(async () => { takeText($("paste").value); $("data").close(); });
  $("step-first").onclick = () => { stopPlaying(); stepTo(1); };
  $("step-back").onclick = () => { stopPlaying(); stepTo((state.step ?? fullTrace.values.length) - 1); };
  $("step-forward").onclick = () => { stopPlaying(); stepTo((state.step ?? fullTrace.values.length) + 1); };
  $("step-last").onclick = () => { stopPlaying(); stepTo(Infinity); };
  $("step-play").onclick = play;
  $("step-slider").oninput = () => { stopPlaying(); stepTo(Number($("step-slider").value)); };
  $("open-judge").onclick = () => openJudge(entry(last().algorithm).schema);
  wireQuality((name, count) => {
    // A height of the cut would decide in place of the number.
    delete last().parameters.distance_threshold;
    setParameter(name, count);
  }, refit);
  wireDendrogram((height) => setParameter("distance_threshold", height));
  $("enter").onclick = () => { contest.push(structuredClone(state.steps)); showContestants(); };
  $("compare").onclick = compare;
  document.addEventListener("keydown", keyboard);
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", guarded(async (event) => {
    event.preventDefault();
    const dropped = event.dataTransfer.files[0];
    if (dropped) takeText(await dropped.text());
  }));
  $("points").addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.0015), [event.offsetX, event.offsetY]);
    changed("view");
  }, { passive: false });
  addEventListener("hashchange", guarded(openLink));
}

onChange((what) => {
  paint();
  if (what === "overlay") return;
  if (what === "drawing") {
    state.step = null;
    showCounts();
    showClasses();
    showAxes();
  }
  if (what === "method") {
    state.step = null;
    showMethod();
    showCounts();
  }
  if (what === "view") showAxes();
  refit(what === "view" ? 120 : 40);
});

async function start() {
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  prepare($("map"), $("points"));
  listen($("points"));
  wire();
  wireSharing();
  showTools();
  showLayers();
  showScenes();
  fitView();
  catalogue = await ask("/api/catalogue");
  showLearning();
  state.steps = [{ algorithm: "logistic-regression", parameters: {} }];
  changed("method");
  changed("drawing");
  await showData();
  await openLink();
  document.body.dataset.ready = "true";
}

guarded(start)();
