// The vocabulary of the schematics: commands, their options, and the kinds of words that they take.

/** Colours by name, with their places in the palette; grey has none. */
export const COLOURS = { blue: 0, orange: 1, green: 2, pink: 3, red: 4, sky: 5, yellow: 6, brown: 7, grey: null };

/** Shapes of icons. */
export const SHAPES = ["circle", "square", "triangle", "diamond", "star", "hexagon", "cross", "picture", "sound"];

/** The three ways in which two variables meet in a third. */
export const GATES = ["chain", "cause", "collider"];

const AT = ["at", "as"];
const TINT = ["colour", "dashed"];

/**
 * Every command: what it takes, what it cannot do without, what else it may be told, and how it is written.
 * @type {Object<string, {takes?: string[], needs?: string[], options?: string[], meaning: string, form: string}>}
 */
export const COMMANDS = {
  sheet: { takes: ["number", "number"], meaning: "how wide and how tall the sheet is", form: "sheet 640 360" },
  text: { takes: ["text"], needs: ["at"], options: ["bold", "small", "faint", "left", "right", "colour"], meaning: "words about a place", form: 'text "two groups" at 320 30' },
  icon: { takes: ["shape", "colour"], needs: ["at"], options: ["radius", "hollow", "striped", "label", "as"], meaning: "an object of a colour and a shape", form: "icon circle red at 60 80" },
  dots: { takes: ["number", "shape", "colour"], needs: ["at", "size"], options: ["radius", "hollow", "striped", "ring", "seed"], meaning: "so many icons strewn over an ellipse, or evenly along its edge", form: "dots 12 circle blue at 150 150 size 120 90" },
  box: { takes: ["text"], needs: ["at", "size"], options: ["as", "round", "top", "bold", "fill", ...TINT], meaning: "a box about a place, with words inside or at its top", form: 'box "agent" at 160 120 size 120 50' },
  node: { takes: ["text"], needs: ["at"], options: ["radius", "observed", "as", "colour"], meaning: "a round node; an observed one is shaded", form: 'node "x₁" at 80 120' },
  arrow: { takes: ["end", "->", "end"], options: ["label", "bend", "thick", ...TINT], meaning: "an arrow between named things or places", form: 'arrow a -> b' },
  line: { takes: ["end", "--", "end"], options: ["label", "bend", "thick", ...TINT], meaning: "a line between named things or places", form: "line 40 40 -- 200 90" },
  curve: { takes: ["numbers"], options: ["thick", "label", ...TINT], meaning: "a smooth curve through places", form: "curve 40 40 90 70 140 50" },
  network: { takes: ["numbers"], needs: ["at", "size"], options: ["letters", "biases", "as"], meaning: "layers of units, each joined to all of the next; units are called NAME.layer.unit", form: "network 3 4 2 at 320 160 size 400 220" },
  gate: { takes: ["gate", "text", "text", "text"], needs: ["at"], options: ["observed", "descendant"], meaning: "three variables, of which the middle one may be observed, and whether the way through it is open", form: 'gate chain "A" "B" "C" at 120 80' },
  table: { needs: ["at", "widths"], meaning: "a table from its upper left corner; its rows follow", form: "table at 60 60 widths 120 160 160" },
  row: { takes: ["texts"], options: ["bold", "fill"], meaning: "a row of the table above", form: 'row "memory" "synapses" "RAM"' },
  bar: { needs: ["at", "size"], meaning: "a bar about a place; its parts follow", form: "bar at 320 120 size 560 60" },
  part: { takes: ["text", "number", "colour"], meaning: "a part of the bar above, as wide as its share", form: 'part "train" 60 blue' },
  bits: { takes: ["bits"], needs: ["at"], options: ["cell", "mark", "as", "label"], meaning: "a string of bits, with some marked", form: "bits 10110 at 200 80" },
  axes: { takes: ["text", "text"], needs: ["at", "size"], options: ["depth"], meaning: "two axes from their lower left corner, and a third one with depth", form: 'axes "x₁" "x₂" at 60 240 size 200 180' },
  plane: { needs: ["at", "size"], options: ["slant", "colour", "label"], meaning: "a plane seen from the side, about a place", form: "plane at 460 160 size 180 60" },
};

/**
 * What each option takes; most take nothing.
 * @type {Object<string, string[]>}
 */
export const OPTIONS = {
  at: ["number", "number"], size: ["number", "number"], as: ["name"], colour: ["colour"], fill: ["colour"], radius: ["number"], label: ["text"], bend: ["number"],
  seed: ["number"], letters: ["texts"], widths: ["numbers"], cell: ["number"], mark: ["numbers"], slant: ["number"], depth: ["text"],
  bold: [], small: [], faint: [], left: [], right: [], hollow: [], striped: [], ring: [], round: [], top: [], dashed: [], thick: [], observed: [], descendant: [], biases: [],
};

/** The word of a list that is nearest to one that is not in it, where some is near. */
export function nearest(word, list) {
  const scored = list.map((known) => [distance(word, known), known]).sort((a, b) => a[0] - b[0]);
  return scored[0] && scored[0][0] <= word.length / 2 ? scored[0][1] : null;
}

// How many letters have to be changed, put in or left out.
function distance(a, b) {
  let before = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const now = [i];
    for (let j = 1; j <= b.length; j++) now.push(Math.min(before[j] + 1, now[j - 1] + 1, before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    before = now;
  }
  return before[b.length];
}
