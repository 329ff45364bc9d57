// The dialog of the grid world: a room is painted, a policy is found, and a robot walks by it.

import { newestQuestion } from "./newest.js";
import { $, element, neat } from "./parts.js";
import { emptyRoom, MOST_SIDE, painted, resized, roomOf, textOf } from "./room.js";
import { guarded } from "./say.js";
import { save } from "./share.js";
import { cellAt, paintPanes } from "./worldview.js";

const MILLISECONDS = 350;
// The room of the texts: an exit, a pit, a wall.
const ROBOT = "...E\n.#.P\nS...\n\nE = 1 exit\nP = -1 exit\n";

let room = roomOf(ROBOT);
let answer = null;
let chosen = null;
// How many steps of the walk are seen.
let walked = 0;
let timer = null;
const question = newestQuestion();
let seed = 0;

/** What is painted and what was found, and whether something is being looked for. */
export const worldNow = () => ({ room, answer, text: textOf(room), walked, busy: question.busy() });

const number = (id) => Number($(id).value);

async function find() {
  const all = $("world-all").checked;
  const request = { map: textOf(room), slip: number("world-slip"), step: number("world-price"), discount: number("world-discount"), method: $("world-method").value, seed, ...(all && !trial() ? {} : { iterations: Math.max(1, number("world-iterations")) }) };
  try {
    const found = await question.ask("/api/world", request);
    if (!found) return;
    answer = found;
    chosen ??= room.start;
    walked = 0;
    stop();
    show();
  } catch (error) {
    answer = null;
    show();
    tell(error.message, true);
  }
}

// Whether the robot learns by trial, without knowing the room.
const trial = () => ["q-learning", "sarsa"].includes($("world-method").value);

function tell(text, bad = false) {
  $("world-words").textContent = text;
  $("world-words").classList.toggle("bad", bad);
}

function show() {
  $("world-all-row").hidden = trial();
  $("world-iterations").disabled = $("world-all").checked && !trial();
  $("world-unit").textContent = trial() ? "episodes" : $("world-method").value === "policy-iteration" ? "rounds" : "sweeps";
  paintPanes({ policy: $("pane-policy"), reward: $("pane-reward"), value: $("pane-value"), model: $("pane-model") }, { room, answer, chosen, robot: place(), price: number("world-price") });
  showLog();
  if (answer) tell(words());
}

// Where the robot stands.
function place() {
  const state = answer?.walk?.states[walked];
  return state === undefined ? null : answer.places[state];
}

function words() {
  const { trace, walk, returns } = answer;
  const parts = [];
  if (trace) parts.push(`${trace.values.length} ${$("world-unit").textContent}, ${trace.stop ?? "stopped"}.`);
  if (returns.length) parts.push(`${returns.length} episodes; the last hundred earned ${neat(mean(returns.slice(-100)))} each, the first ${neat(mean(returns.slice(0, 100)))}.`);
  if (walk) parts.push(`A walk of ${walk.actions.length} steps${walk.ended ? " to an exit" : ", given up"}, worth ${neat(walk.return)} at its start.`);
  return parts.join(" ");
}

const mean = (list) => list.reduce((sum, value) => sum + value, 0) / Math.max(1, list.length);

// The loop of agent and environment: state, action, reward, next state.
function showLog() {
  const body = $("world-log");
  body.replaceChildren();
  const walk = answer?.walk;
  if (!walk) return;
  const said = (state) => `(${answer.places[state].map((part) => part + 1).join(", ")})`;
  for (let step = 0; step < walked; step++) {
    const line = element("tr");
    line.append(...[step + 1, said(walk.states[step]), answer.actions[walk.actions[step]], String(Number(walk.rewards[step].toPrecision(4))), said(walk.states[step + 1])].map((cell) => element("td", String(cell))));
    body.prepend(line);
  }
  $("world-step").disabled = $("world-run").disabled = walked >= walk.actions.length;
}

function step() {
  const walk = answer?.walk;
  if (!walk || walked >= walk.actions.length) return stop();
  walked++;
  show();
}

function run() {
  if (timer) return stop();
  $("world-run").textContent = "❚❚ pause";
  timer = setInterval(() => {
    step();
    if (walked >= (answer?.walk?.actions.length ?? 0)) stop();
  }, MILLISECONDS);
}

function stop() {
  clearInterval(timer);
  timer = null;
  $("world-run").textContent = "▶ run";
}

// Paints a cell with the chosen tool.
function put(spot) {
  const tool = $("world-tool").value;
  const score = Number.isFinite(number("world-score")) ? number("world-score") : 0;
  const [row, column] = spot;
  if (tool === "start") {
    if (room.cells[row][column].kind === "floor") room = { ...painted(room, spot, { kind: "floor", score: null }), start: spot };
  } else {
    const cell = { wall: { kind: "wall", score: null }, exit: { kind: "exit", score }, reward: { kind: "floor", score }, floor: { kind: "floor", score: null } }[tool];
    room = painted(room, spot, cell);
  }
  chosen = spot;
  show();
}

function wirePainting() {
  const canvas = $("pane-reward");
  let drawing = false;
  const spot = (event) => cellAt(canvas, room, [event.offsetX, event.offsetY]);
  canvas.onpointerdown = (event) => {
    const there = spot(event);
    if (!there) return;
    drawing = true;
    canvas.setPointerCapture(event.pointerId);
    put(there);
  };
  canvas.onpointermove = (event) => {
    const there = drawing && spot(event);
    if (there && (there[0] !== chosen?.[0] || there[1] !== chosen?.[1])) put(there);
  };
  canvas.onpointerup = () => {
    drawing = false;
    find();
  };
  canvas.onkeydown = (event) => {
    const move = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!move && event.key !== "Enter") return;
    event.preventDefault();
    chosen ??= [0, 0];
    if (event.key === "Enter") {
      put(chosen);
      find();
      return;
    }
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    chosen = [within(chosen[0] + move[0], room.cells.length), within(chosen[1] + move[1], room.cells[0].length)];
    show();
  };
  // In the other panes a click looks at a cell.
  for (const id of ["pane-policy", "pane-value", "pane-model"]) {
    $(id).onclick = (event) => {
      chosen = cellAt($(id), room, [event.offsetX, event.offsetY]) ?? chosen;
      show();
    };
  }
}

function open() {
  $("world").showModal();
  $("world-tall").value = room.cells.length;
  $("world-wide").value = room.cells[0].length;
  show();
  find();
}

export function wireWorld() {
  $("open-world").onclick = guarded(open);
  for (const id of ["world-slip", "world-price", "world-discount", "world-method", "world-iterations", "world-all"]) $(id).onchange = find;
  const size = () => {
    const side = (id) => Math.max(1, Math.min(MOST_SIDE, Math.round(number(id)) || 1));
    room = resized(room, side("world-tall"), side("world-wide"));
    chosen = null;
    find();
  };
  $("world-tall").onchange = size;
  $("world-wide").onchange = size;
  $("world-clear").onclick = () => {
    room = emptyRoom(room.cells.length, room.cells[0].length);
    find();
  };
  $("world-step").onclick = () => { stop(); step(); };
  $("world-run").onclick = run;
  $("world-again").onclick = () => {
    seed++;
    find();
  };
  $("world-save").onclick = () => save("room.txt", textOf(room));
  $("world-choose").onclick = () => $("world-file").click();
  $("world-file").onchange = async (event) => {
    try {
      room = roomOf(await event.target.files[0].text());
      chosen = null;
      $("world-tall").value = room.cells.length;
      $("world-wide").value = room.cells[0].length;
      await find();
    } catch (error) {
      tell(error.message, true);
    }
    event.target.value = "";
  };
  $("world").onclose = () => {
    stop();
    question.stop();
  };
  wirePainting();
}
