// Tables that are dropped or pasted: numbers become coordinates, words become classes.

/** Lines and cells of CSV text; quotation marks protect commas and line ends. */
export function parseCsv(text) {
  const rows = [[]];
  let cell = "";
  let quoted = false;
  const separator = text.split("\n", 1)[0].includes("\t") ? "\t" : text.split("\n", 1)[0].includes(";") ? ";" : ",";
  for (let at = 0; at < text.length; at++) {
    const c = text[at];
    if (quoted && c === '"' && text[at + 1] === '"') { cell += '"'; at++; }
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === separator) { rows.at(-1).push(cell); cell = ""; }
    else if (!quoted && c === "\n") { rows.at(-1).push(cell); cell = ""; rows.push([]); }
    else if (c !== "\r") cell += c;
  }
  rows.at(-1).push(cell);
  return rows.map((row) => row.map((value) => value.trim())).filter((row) => row.some((value) => value !== ""));
}

/** A drawing out of CSV text; fails with a sentence. */
export function drawingOf(text) {
  const rows = parseCsv(text);
  const isNumber = (value) => value !== "" && Number.isFinite(Number(value));
  const head = rows[0]?.some((value) => !isNumber(value)) ? rows.shift() : rows[0]?.map((_, index) => `x${index}`);
  if (!head || rows.length === 0) throw new Error("the text holds no rows");
  const numeric = head.map((_, column) => rows.every((row) => isNumber(row[column] ?? "")));
  const named = head.findIndex((name) => /^(class|label|target|species)$/i.test(name));
  const classColumn = named >= 0 ? named : numeric.findIndex((flag) => !flag);
  const columns = head.map((_, column) => column).filter((column) => numeric[column] && column !== classColumn);
  if (columns.length < 2) throw new Error("at least two columns of numbers are needed, without gaps");
  if (rows.length > 20000) throw new Error(`the text has ${rows.length} rows; the canvas shows at most 20000`);
  const classes = classColumn < 0 ? ["A"] : [...new Set(rows.map((row) => row[classColumn]))].sort();
  if (classes.length > 50) throw new Error(`column ${head[classColumn]} has ${classes.length} different values; at most 50 can be classes`);
  const points = rows.map((row) => ({
    c: columns.map((column) => Number(row[column])),
    k: classColumn < 0 ? 0 : classes.indexOf(row[classColumn]),
    s: null,
  }));
  return { names: columns.map((column) => head[column]), points, classes: classes.length < 2 ? [...classes, "B"] : classes };
}
