// Two sets of points that are put aside: methods learn from the one and are judged by the other.

import { $, button, element } from "./parts.js";
import { fitView } from "./plane.js";
import { changed, draw, state } from "./state.js";

/** @type {Object<string, Drawing|null>} */
export const sets = { A: null, B: null };

const listeners = [];

/** Calls back when a set was stored. */
export function whenStored(listener) {
  listeners.push(listener);
}

/** Shows what is stored, with buttons that store the points of the canvas and bring them back. */
export function showSets() {
  $("sets").replaceChildren(...Object.keys(sets).map((name) => {
    const line = element("div", undefined, "row");
    const back = button("show", `Bring set ${name} back onto the canvas; undo takes it away again`, () => {
      draw(sets[name]);
      fitView();
      changed("view");
    });
    back.disabled = !sets[name];
    const keep = button("store", `Store the points of the canvas as set ${name}`, () => {
      sets[name] = state.drawing;
      showSets();
    });
    keep.setAttribute("aria-label", `Store as set ${name}`);
    back.setAttribute("aria-label", `Show set ${name}`);
    line.append(element("span", `Set ${name}: ${sets[name] ? `${sets[name].points.length} points` : "empty"}`), keep, back);
    return line;
  }));
  for (const listener of listeners) listener();
}

/** Both sets as one drawing, the first set first; fails with a sentence where they do not fit together. */
export function bothSets() {
  const { A, B } = sets;
  for (const [name, set] of Object.entries(sets)) if (!set?.points.length) throw new Error(`set ${name} is empty; store the points of the canvas as set ${name} first`);
  if (A.names.length !== B.names.length) throw new Error(`set A has ${A.names.length} columns and set B ${B.names.length}; they must have the same`);
  const classes = [...new Set([...A.classes, ...B.classes])];
  const renamed = ({ points, classes: own }) => points.map((p) => ({ ...p, k: p.k === null ? null : classes.indexOf(own[p.k]) }));
  return { names: A.names, classes, points: [...renamed(A), ...renamed(B)] };
}
