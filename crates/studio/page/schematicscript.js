// Reading the script of a schematic: a command a line, with what it takes and what it is told besides.

import { COLOURS, COMMANDS, GATES, nearest, OPTIONS, SHAPES } from "./schematicwords.js";

/** Longest script, and largest number that is a place or a size. */
const MOST_LINES = 400;
const LARGEST = 4000;

/**
 * @typedef {{line: number, command: string, takes: any[], options: Object<string, any>}} Statement
 * @typedef {{line: number, message: string}} Mistake
 */

/**
 * What a script says, and what is wrong with it.
 * @returns {{statements: Statement[], mistakes: Mistake[]}}
 */
export function read(script) {
  const lines = script.split("\n");
  const [statements, mistakes] = [[], []];
  if (lines.length > MOST_LINES) mistakes.push({ line: MOST_LINES + 1, message: `the script has ${lines.length} lines; at most ${MOST_LINES} are read` });
  lines.slice(0, MOST_LINES).forEach((text, index) => {
    try {
      const words = split(text);
      if (words.length) statements.push({ line: index + 1, ...understood(words) });
    } catch (error) {
      mistakes.push({ line: index + 1, message: error.message });
    }
  });
  return { statements, mistakes };
}

/** The words of a line; those in quotation marks are texts. What follows a # is for people. */
function split(line) {
  const words = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|(#.*)|("[^]*)|([^\s"]+))/gy;
  for (let found = pattern.exec(line); found; found = pattern.exec(line)) {
    if (found[2] !== undefined) break;
    if (found[3] !== undefined) throw new Error(`the text ${found[3]} has no end; close it with "`);
    words.push(found[1] !== undefined ? { text: found[1].replace(/\\(.)/g, "$1") } : { word: found[4] });
  }
  return words;
}

const said = (token) => (token === undefined ? "nothing" : token.text !== undefined ? `"${token.text}"` : token.word);

function understood([first, ...rest]) {
  const command = first.word;
  const known = COMMANDS[command];
  if (!known || !Object.hasOwn(COMMANDS, command)) throw new Error(`${said(first)} is no command${meant(command ?? "", Object.keys(COMMANDS))}`);
  const reader = { words: rest, at: 0, form: known.form };
  const takes = (known.takes ?? []).map((kind) => value(kind, reader, command));
  const allowed = [...(known.needs ?? []), ...(known.options ?? [])];
  const options = {};
  while (reader.at < rest.length) {
    const token = rest[reader.at++];
    if (!allowed.includes(token.word)) throw new Error(`${command} knows no ${said(token)}${meant(token.word ?? "", allowed)}; it is written like ${known.form}, and may be told ${allowed.join(", ") || "nothing more"}`);
    const values = OPTIONS[token.word].map((kind) => value(kind, reader, token.word));
    options[token.word] = values.length === 0 ? true : values.length === 1 ? values[0] : values;
  }
  for (const need of known.needs ?? []) if (options[need] === undefined) throw new Error(`${command} needs ${need}; write ${known.form}`);
  return { command, takes, options };
}

function meant(word, list) {
  const close = nearest(word, list);
  return close ? `; did you mean ${close}?` : `; there are ${list.join(", ")}`;
}

// The next word or words as a value of a kind.
function value(kind, reader, whose) {
  const { words, form } = reader;
  const token = words[reader.at];
  const fail = (what) => { throw new Error(`${whose} needs ${what} where ${said(token)} is; write ${form}`); };
  const listed = (what, list) => {
    if (token?.word === undefined) fail(`a ${what} (${list.join(", ")})`);
    if (!list.includes(token.word)) throw new Error(`${token.word} is no ${what}${meant(token.word, list)}`);
    reader.at++;
    return token.word;
  };
  const several = (one) => {
    const list = [];
    while (reader.at < words.length && one(words[reader.at])) list.push(value(kind === "texts" ? "text" : "number", reader, whose));
    return list.length ? list : fail(kind === "texts" ? "one or more texts in quotation marks" : "one or more numbers");
  };
  switch (kind) {
    case "number": {
      const number = numberOf(token);
      if (number === null) fail("a number");
      if (Math.abs(number) > LARGEST) throw new Error(`${token.word} is too large; numbers go up to ${LARGEST}`);
      reader.at++;
      return number;
    }
    case "text":
      if (token?.text === undefined) fail("a text in quotation marks");
      reader.at++;
      return token.text;
    case "name":
      if (!/^[\p{L}_][\p{L}\p{N}_]*$/u.test(token?.word ?? "")) fail("a name of letters and digits");
      reader.at++;
      return token.word;
    case "bits":
      if (!/^[01]{1,64}$/.test(token?.word ?? "")) fail("up to 64 zeros and ones");
      reader.at++;
      return token.word;
    case "texts": return several(({ text }) => text !== undefined);
    case "numbers": return several((one) => numberOf(one) !== null);
    case "shape": return listed("shape", SHAPES);
    case "colour": return listed("colour", Object.keys(COLOURS));
    case "gate": return listed("gate", GATES);
    case "end":
      if (numberOf(token) !== null) return [value("number", reader, whose), value("number", reader, whose)];
      if (token?.word === undefined || token.word === "->" || token.word === "--") fail("a name or two numbers");
      reader.at++;
      return token.word;
    default:
      // The sign between two ends.
      if (token?.word !== kind) fail(kind);
      reader.at++;
      return kind;
  }
}

const numberOf = (token) => (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(token?.word ?? "") ? Number(token.word) : null);
