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

/** The same as text for points and lines, brighter on dark ground, where maps are dark as well. */
export function css(index, alpha = 1) {
  const dark = document.documentElement.dataset.theme === "dark";
  const [red, green, blue] = colour(index).map((part) => (dark ? Math.round(part + 0.35 * (255 - part)) : part));
  return `rgba(${red}, ${green}, ${blue}, ${alpha})`;
}

/** Black or white, whichever is easier to read on a colour as it is shown. */
export function inkOn(index) {
  const linear = css(index).match(/[\d.]+/g).slice(0, 3).map((part) => ((Number(part) / 255 + 0.055) / 1.055) ** 2.4);
  const light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  return light > 0.2 ? "#111" : "#fff";
}

/** The colour number of a group of an answer: that of the class which most of it has, where classes are drawn. */
export const tint = (answer, index) => (index === null || index === undefined ? null : answer?.tints?.[index] ?? index);

/** Which colour each group gets: the largest agreements first, what is left over in order. */
export function tints(groups, classes) {
  const counts = new Map();
  let most = -1;
  groups.forEach((group, row) => {
    if (group === null) return;
    most = Math.max(most, group);
    const label = classes[row];
    if (label === null || label === undefined) return;
    const key = `${group} ${label}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  });
  const chosen = Array(most + 1).fill(null);
  const taken = new Set();
  for (const [key] of [...counts].sort((a, b) => b[1] - a[1])) {
    const [group, label] = key.split(" ").map(Number);
    if (chosen[group] !== null || taken.has(label)) continue;
    chosen[group] = label;
    taken.add(label);
  }
  let next = 0;
  return chosen.map((label) => {
    if (label !== null) return label;
    while (taken.has(next)) next++;
    taken.add(next);
    return next;
  });
}

/** A colour of the theme. */
export function themed(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
