// Methods in the order of textbooks: those that find groups by what they take a group to be.

const FAMILIES = {
  hierarchical: ({ routes }) => routes.some(({ attributes }) => attributes.some(({ name }) => name === "linkage_matrix")),
  "probabilistic, density-based": ({ family, card }) => family === "mixture" || card.modelling === "generative" || /dens|mass/i.test(card.objective),
  partitioning: () => true,
};
const ORDER = ["hierarchical", "partitioning", "probabilistic, density-based"];

/** The methods of a task under their titles; only groups are found in so many ways that it takes several. */
export function grouped(task, methods) {
  if (!methods.length) return [];
  if (task === "views") return [["two views", methods]];
  if (task !== "clustering") return [[task, methods]];
  const families = new Map(ORDER.map((family) => [`${task}: ${family}`, []]));
  for (const method of methods) {
    const [family] = Object.entries(FAMILIES).find(([, holds]) => holds(method));
    families.get(`${task}: ${family}`).push(method);
  }
  return [...families].filter(([, list]) => list.length);
}
