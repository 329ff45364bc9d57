// Small pieces that several panels are made of.

/** The element of this id. */
export const $ = (id) => document.getElementById(id);

/** An element with its text. */
export function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** A button with what it does. */
export function button(text, title, onclick) {
  const made = element("button", text);
  made.type = "button";
  if (title) made.title = title;
  made.onclick = onclick;
  return made;
}

/** A number as people read it. */
export const neat = (value) => (Number.isInteger(value) ? String(value) : Number(value).toPrecision(4));

/** Least and greatest of a long list; the spread operator would overflow the stack. */
export function range(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 1];
}

/** The context of a canvas with as many dots as the screen has, and its size in points of the page. */
export function sharp(canvas) {
  const ratio = window.devicePixelRatio || 1;
  const box = canvas.getBoundingClientRect();
  canvas.width = box.width * ratio;
  canvas.height = box.height * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "11px system-ui, sans-serif";
  return [context, box.width, box.height];
}
