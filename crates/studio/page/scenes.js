// Prepared scenes, each with something to learn from it.

import { CLASSES } from "./scenes/classes.js";
import { GROUPS } from "./scenes/groups.js";
import { OTHERS } from "./scenes/others.js";
import { LAYERS } from "./state.js";

/**
 * @type {{id: string, title: string, lesson: string, task: string, steps: Object[], points: () => any[],
 *   classes?: string[], share?: number, known?: number, zoom?: number, layers?: Object<string, boolean>}[]}
 */
export const SCENES = [...CLASSES, ...GROUPS, ...OTHERS];

/** A scene as a session. */
export function sceneSession({ classes = ["A", "B"], points, steps, task, share = 100, known = 100, layers = {} }) {
  return { version: 1, names: ["x0", "x1"], classes, points: points(), axes: [0, 1], steps: structuredClone(steps), task, share, known, layers: { ...LAYERS, ...layers } };
}
