// Prepared scenes, each with something to learn from it.

import { ask } from "./api.js";
import { CLASSES } from "./scenes/classes.js";
import { GROUPS } from "./scenes/groups.js";
import { OTHERS } from "./scenes/others.js";
import { LAYERS } from "./state.js";

/**
 * @type {{id: string, title: string, lesson: string, task: string, steps: Object[], points?: () => any[],
 *   set?: {id: string, keep: string[]},
 *   names?: string[], axes?: number[], split?: number, bands?: number, classes?: string[], share?: number, known?: number, zoom?: number, layers?: Object<string, boolean>}[]}
 */
export const SCENES = [...CLASSES, ...GROUPS, ...OTHERS];

/** A scene as a session; the points of a built-in set have to be fetched. */
export async function sceneSession(scene) {
  return scene.set ? fetchedSession(scene) : drawnSession(scene);
}

// The rows of some classes of a built-in set.
async function fetchedSession({ set: { id, keep }, ...scene }) {
  const { rows, labels, classes, names } = await ask(`/api/datasets/${id}`);
  const kept = keep.map((name) => classes.indexOf(name));
  const points = rows.map((row, index) => [row, kept.indexOf(labels[index]), null]).filter(([, label]) => label >= 0);
  return drawnSession({ ...scene, names, classes: keep, points: () => points });
}

function drawnSession({ names = ["x0", "x1"], axes = [0, 1], split, bands, classes = ["A", "B"], points, steps, task, share = 100, known = 100, layers = {} }) {
  return { version: 1, names, classes, points: points(), axes, split, bands, steps: structuredClone(steps), task, share, known, layers: { ...LAYERS, ...layers } };
}
