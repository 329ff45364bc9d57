// Colours that people with any kind of colour vision tell apart (after Okabe and Ito).

const COLOURS = [
  [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167],
  [213, 94, 0], [86, 180, 233], [240, 228, 66], [120, 94, 60],
];

/** Colour of a class or cluster as [red, green, blue]; beyond eight they come back darker. */
export function colour(index) {
  if (index === null || index === undefined || index < 0) return [130, 136, 144];
  const base = COLOURS[index % COLOURS.length];
  const dim = 1 - 0.25 * (Math.floor(index / COLOURS.length) % 3);
  return base.map((part) => Math.round(part * dim));
}

/** The same as text for styles. */
export function css(index, alpha = 1) {
  const [red, green, blue] = colour(index);
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

/** A colour of the theme. */
export function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
