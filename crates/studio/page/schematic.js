// A schematic from its script.

import { DIAGRAMS, finishBar } from "./schematicdiagrams.js";
import { SIMPLE } from "./schematicdraw.js";
import { read } from "./schematicscript.js";
import { Sheet } from "./schematicsheet.js";

const DRAW = { ...SIMPLE, ...DIAGRAMS };

/**
 * The picture of a script as SVG, and what is wrong with the script; lines that are right are drawn all the same.
 * @returns {{svg: string, width: number, height: number, mistakes: import("./schematicscript.js").Mistake[]}}
 */
export function schematic(script) {
  const { statements, mistakes } = read(script);
  const sheet = new Sheet();
  for (const statement of statements) {
    // A bar or a table ends where something else begins.
    if (!["part", "row"].includes(statement.command)) close(sheet);
    try {
      DRAW[statement.command](sheet, statement);
    } catch (error) {
      mistakes.push({ line: statement.line, message: error.message });
    }
  }
  close(sheet);
  return { svg: sheet.svg(), width: sheet.width, height: sheet.height, mistakes: mistakes.sort((a, b) => a.line - b.line) };
}

function close(sheet) {
  if (sheet.open.bar) finishBar(sheet, sheet.open.bar);
  sheet.open = {};
}
