// Keys that work everywhere on the page.

import { removeSelected } from "./editing.js";
import { stop } from "./fitting.js";
import { $ } from "./parts.js";
import { redo, state, undo } from "./state.js";
import { play } from "./stepper.js";
import { useClass, useTool } from "./toolbox.js";
import { TOOLS } from "./tools.js";

/** Whether the key meant something. */
function act(event) {
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    if (key === "z") (event.shiftKey ? redo : undo)();
    else if (key === "y") redo();
    else return false;
    return true;
  }
  if (event.altKey) return false;
  const tool = Object.entries(TOOLS).find(([, { key: its }]) => its === key);
  if (key === "f") $("fit-view").click();
  else if (key === "+" || key === "=") $("zoom-in").click();
  else if (key === "-") $("zoom-out").click();
  else if (key === "escape") stop();
  else if (key === "delete" || key === "backspace") removeSelected();
  else if (key === " " && !$("stepper").hidden && !event.target.matches("button, summary")) play();
  else if (key === "0") useClass(null);
  else if (/^[1-9]$/.test(key) && key <= state.drawing.classes.length) useClass(Number(key) - 1);
  else if (tool) useTool(tool[0]);
  else return false;
  return true;
}

export function wireKeyboard() {
  document.addEventListener("keydown", (event) => {
    if (event.target.matches("input, textarea, select") || document.querySelector("dialog[open]")) return;
    if (act(event)) event.preventDefault();
  });
}
