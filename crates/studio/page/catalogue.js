// Every method that there is, as the server describes it.

import { ask } from "./api.js";
import { defaults, resolved } from "./form.js";
import { state } from "./state.js";

/** Every entry of the catalogue. */
export const catalogue = [];

/** Fetches the catalogue. */
export async function fetchCatalogue() {
  catalogue.push(...(await ask("/api/catalogue")));
}

/** The entry of an algorithm. */
export const entry = (id) => catalogue.find((candidate) => candidate.id === id);

/** Whether a method relates two views of the same things: it knows pairs of weights and how they correlate. */
export const relatesViews = ({ routes }) => routes.some(({ attributes }) => ["correlations", "x_weights", "y_weights"].every((name) => attributes.some((one) => one.name === name)));

/** The tasks that the page offers a method for, with the kind of learning of each. */
export const offers = (method) => method.routes.map(({ task, learning }) => ({ task: relatesViews(method) ? "views" : task, learning }));

/** The last step, which is the method itself. */
export const last = () => state.steps.at(-1);

/** Whether the method is one of margins: its objective says that rows cost until they are beyond one. */
export const hasMargins = () => /hinge|margin/i.test(entry(last()?.algorithm)?.card.objective ?? "");

/** Whether the method learns from sequences only where their items have classes. */
export const labelsSequences = () => {
  const kinds = entry(last()?.algorithm)?.routes.map(({ kind }) => kind) ?? [];
  return kinds.includes("labelled-sequences") && !kinds.includes("sequences");
};

/** Whether the method puts a line where the squared error alone is least. */
export const isLeastSquares = () => state.steps.length === 1 && entry(last()?.algorithm)?.card.objective === "squared error ½‖y − Xw − b‖²";

/** Half the width of the tube in which a method lets numbers lie at no cost; nothing where it has none. */
export function tubeOf({ algorithm, parameters }, { attributes }) {
  // Some find the width of the tube themselves.
  const found = [attributes?.find(({ name }) => name === "epsilon")?.value].flat()[0];
  if (Number.isFinite(found)) return found;
  const { card, schema } = entry(algorithm) ?? { card: {}, schema: {} };
  const values = { ...defaults(schema), ...parameters };
  return /insensitive/i.test(`${card.objective} ${values.loss}`) ? values.epsilon : null;
}

/** What the schema says about each parameter, references followed. */
export function parametersOf(id) {
  const schema = entry(id)?.schema ?? {};
  return Object.entries(schema.properties ?? {}).map(([name, part]) => [name, resolved(schema, part), schema]);
}
