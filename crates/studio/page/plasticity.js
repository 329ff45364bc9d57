// The laboratory of plasticity: Hebbian weights, associative memories, and a map that organises itself.

import { hebbView } from "./hebb.js";
import { hopfieldView } from "./hopfield.js";
import { laboratory } from "./lab.js";
import { somView } from "./sommap.js";
import { willshawView } from "./willshaw.js";

/** The laboratory; tests read its newest answer. */
export let plasticity = null;

export function wirePlasticity() {
  plasticity = laboratory("plasticity", "Plasticity", { hebb: hebbView, willshaw: willshawView, hopfield: hopfieldView, som: somView });
}
