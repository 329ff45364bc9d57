// A field of cells that are switched by clicking, dragging or the keyboard.

import { element } from "./parts.js";

/**
 * Buttons in rows; `cells` are true or false, `changed(cells)` is told of every stroke.
 * @param {{name: string, wide: number, cells: boolean[], changed: (cells: boolean[]) => void}} field
 */
export function cellGrid({ name, wide, cells, changed }) {
  const box = element("div", undefined, "cells");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", name);
  box.style.gridTemplateColumns = `repeat(${wide}, 1fr)`;
  const now = [...cells];
  let painting = null;
  const put = (index, on) => {
    now[index] = on;
    box.children[index].setAttribute("aria-pressed", String(on));
  };
  box.append(...now.map((on, index) => {
    const cell = element("button");
    cell.type = "button";
    cell.setAttribute("aria-label", `row ${Math.floor(index / wide) + 1}, column ${(index % wide) + 1}`);
    cell.setAttribute("aria-pressed", String(on));
    cell.tabIndex = index ? -1 : 0;
    cell.onpointerdown = (event) => {
      cell.releasePointerCapture(event.pointerId);
      painting = !now[index];
      put(index, painting);
    };
    cell.onpointerenter = () => {
      if (painting !== null) put(index, painting);
    };
    return cell;
  }));
  const finish = () => {
    if (painting === null) return;
    painting = null;
    changed([...now]);
  };
  box.onpointerup = box.onpointerleave = finish;
  box.onkeydown = (event) => {
    const index = [...box.children].indexOf(document.activeElement);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -wide, ArrowDown: wide }[event.key];
    if (step && box.children[index + step]) box.children[index + step].focus();
    else if (event.key === "Enter" || event.key === " ") {
      put(index, !now[index]);
      changed([...now]);
    } else return;
    event.preventDefault();
  };
  return box;
}
