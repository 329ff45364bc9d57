// Bayesian networks that one writes down: arrows as text, a part for every node, and whether dependence gets through.

import { paintDag } from "./dagview.js";
import { element } from "./parts.js";

const ROLES = [["free", "–"], ["from", "one end"], ["to", "other end"], ["known", "known"]];

/** The arrows of a text such as "x1→x2←x3, a→b", as pairs of parent and child. */
export function arrowsOf(text) {
  const edges = [];
  for (const part of text.split(/[,;\n]/).map((piece) => piece.trim()).filter(Boolean)) {
    const names = part.split(/→|←|->|<-/).map((name) => name.trim());
    const signs = part.match(/→|←|->|<-/g) ?? [];
    signs.forEach((sign, index) => {
      const pair = [names[index], names[index + 1]];
      edges.push(sign === "→" || sign === "->" ? pair : pair.reverse());
    });
  }
  return edges.filter((pair) => pair.every(Boolean));
}

/** The nodes in the order in which they come up. */
export const nodesOf = (edges) => [...new Set(edges.flat())];

const withRole = (values, role) => nodesOf(arrowsOf(values.arrows)).filter((name) => (values.roles[name] ?? "free") === role);

function question(values) {
  const edges = arrowsOf(values.arrows);
  const [from, to, given] = ["from", "to", "known"].map((role) => withRole(values, role));
  return ["/api/dag", { nodes: nodesOf(edges), edges, from, to, given }];
}

// The arrows as text, and a choice for every node.
function extra(lab) {
  const values = lab.values.dag;
  const text = element("input");
  Object.assign(text, { type: "text", value: values.arrows, name: "networks-arrows" });
  text.setAttribute("aria-label", "Arrows, such as a→b, c→b");
  text.onchange = () => lab.set({ arrows: text.value, path: 1 });
  const top = element("label", "arrows, as a→b or a->b");
  top.append(text);
  const rows = nodesOf(arrowsOf(values.arrows)).map((name) => {
    const label = element("label", undefined, "row");
    const select = element("select");
    select.name = `networks-role-${name}`;
    select.append(...ROLES.map(([value, words]) => new Option(words, value)));
    select.value = values.roles[name] ?? "free";
    select.onchange = () => {
      values.roles = { ...values.roles, [name]: select.value };
      lab.refresh();
    };
    label.append(element("span", name), select);
    return label;
  });
  return [top, ...rows];
}

// The path that is shown: the chosen one, else the first that is open, else the first.
function shownPath({ paths }, { path }) {
  const open = paths.findIndex((one) => one.open);
  return path > 1 ? Math.min(path, paths.length) - 1 : Math.max(0, open);
}

const written = ({ nodes, forward }, names, known) => nodes.map((node, at) => `${at ? (forward[at - 1] ? " → " : " ← ") : ""}${known.includes(names[node]) ? `[${names[node]}]` : names[node]}`).join("");

function words(answer) {
  const { asked, independent, open, paths } = answer;
  if (!asked.from.length || !asked.to.length) return "Choose at least one node for either end.";
  const given = asked.given.length ? ` given ${asked.given.join(", ")}` : "";
  const pair = `${asked.from.join(", ")} and ${asked.to.join(", ")}`;
  if (!independent) {
    const through = open.gates.length ? `, through ${open.gates.map((gate, index) => `${gate} at ${open.nodes[index + 1]}`).join(", ")}` : "";
    return `${pair} may depend on each other${given}. Open path: ${open.words}${through}.`;
  }
  const closed = paths.map((path) => {
    const shut = path.gates.find((gate) => !gate.open);
    return `${written(path, asked.nodes, asked.given)}${shut ? ` (${shut.gate} closed at ${asked.nodes[shut.node]})` : ""}`;
  });
  return `${pair} are independent${given}, whatever the tables. ${closed.length ? `Every path is closed: ${closed.join("; ")}.` : "No path joins them."}`;
}

/** The view of Bayesian networks. */
export const dagView = {
  called: "a Bayesian network and its gates",
  summary: "Two nodes depend on each other when some path has all its gates open. A chain and a common cause are closed by what is known in the middle; a common effect is opened by it, or by what follows from it.",
  controls: [
    { name: "arrows", called: "", value: "x1→x2←x3, x3→x4", when: () => false },
    { name: "roles", called: "", value: { x1: "from", x4: "to", x2: "known" }, when: () => false },
    { name: "path", called: "path", value: 1, low: 1, high: 8, whole: true },
  ],
  presets: {
    "explaining away": { arrows: "x1→x2←x3, x3→x4", roles: { x1: "from", x4: "to", x2: "known" }, path: 1 },
    chain: { arrows: "a→b→c", roles: { a: "from", c: "to" }, path: 1 },
    "common cause": { arrows: "a←b→c", roles: { a: "from", c: "to", b: "known" }, path: 1 },
    "known descendant": { arrows: "a→b←c, b→d", roles: { a: "from", c: "to", d: "known" }, path: 1 },
    alarm: { arrows: "burglary→alarm←quake, quake→radio, alarm→call", roles: { burglary: "from", radio: "to", call: "known" }, path: 1 },
  },
  extra,
  panes: [{ label: "Arrows lead from parent to child; grey nodes are known; the thick path is open (green) or closed (orange)", tall: 380, paint: (canvas, answer, values) => paintDag(canvas, answer, shownPath(answer, values)) }],
  question,
  words,
};
