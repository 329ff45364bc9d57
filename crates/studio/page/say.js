// The line at the foot of the picture: what is going on, what went wrong, and a way to stop it.

import { $, button, element } from "./parts.js";

/** Says something; nothing empties the line. `from` names who speaks, where it matters. */
export function say(text, bad = false, from = "") {
  const box = $("status");
  box.replaceChildren(...(text ? [text] : []));
  box.classList.toggle("bad", bad);
  box.dataset.from = from;
}

/** Empties the line if it is theirs: what others said is left to be read. */
export function unsay(from) {
  if ($("status").dataset.from === from) say("");
}

/**
 * Tells of a job that goes on, with a bar and a button that stops it.
 * @param {number|null} share how much is done, where somebody knows
 */
export function sayProgress(text, share, stop, from = "") {
  const box = $("status");
  box.classList.remove("bad");
  box.dataset.from = from;
  if (!box.querySelector("progress")) {
    const words = element("span");
    const bar = element("progress");
    bar.setAttribute("aria-label", "Progress");
    box.replaceChildren(words, bar, button("stop", "Stop this job (Esc)", () => stop()));
  }
  box.querySelector("span").textContent = text;
  const bar = box.querySelector("progress");
  if (share === null) bar.removeAttribute("value");
  else bar.value = share;
  box.querySelector("button").onclick = () => stop();
}

/** The work with its errors said. */
export const guarded = (work) => async (...given) => {
  try {
    await work(...given);
  } catch (error) {
    say(error.message, true);
  }
};
