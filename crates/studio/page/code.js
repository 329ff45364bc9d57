// The session as the equivalent command, Python and Rust, which run as they stand.

import { entry, labelsSequences } from "./catalogue.js";
import { strokes } from "./geometry.js";
import { seen, splitAt, state, trainingFlags } from "./state.js";

/** Points that are learned from, as rows with a target. */
export function table() {
  const { names, points, classes } = state.drawing;
  const flags = trainingFlags();
  const labelled = state.task === "classification";
  let chosen = points.map((_, index) => index).filter((index) => !flags || flags[index]);
  if (labelled) chosen = chosen.filter((index) => points[index].k !== null);
  if (state.task === "sequence") chosen = strokes(points).flat();
  if (state.task === "regression") {
    const [across, up] = state.axes;
    return { names: ["x0"], target: "y", rows: chosen.map((i) => [points[i].c[across]]), targets: chosen.map((i) => points[i].c[up]) };
  }
  if (state.task === "views") return views(chosen);
  const rows = chosen.map((index) => seen(points[index]));
  const columns = (rows[0] ?? names).map((_, index) => `x${index}`);
  if (labelled) return { names: columns, target: "class", rows, targets: chosen.map((index) => classes[points[index].k]) };
  const groups = state.task === "sequence" ? strokes(points).flatMap((stroke, group) => stroke.map(() => group)) : null;
  // Labellers of sequences learn from the class of every item.
  const taught = state.task === "sequence" && labelsSequences();
  return { names: columns, target: taught ? "class" : null, rows, targets: taught ? chosen.map((index) => classes[points[index].k] ?? "") : null, groups };
}

// Both views are columns of one table; those of the second are what is learned from the first.
function views(chosen) {
  const { names, points } = state.drawing;
  const columns = names.map((_, index) => `x${index}`);
  return { names: columns, target: columns.slice(splitAt()).join(","), rows: chosen.map((index) => points[index].c), targets: null };
}

/** The table as CSV. */
export function csv({ names, target, rows, targets, groups } = table()) {
  const head = [...names, ...(targets ? [target] : []), ...(groups ? ["sequence"] : [])].join(",");
  const lines = rows.map((row, i) => [...row, ...(targets ? [quoted(targets[i])] : []), ...(groups ? [groups[i]] : [])].join(","));
  return [head, ...lines].join("\n");
}

function quoted(value) {
  const text = String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The steps as one specification. */
export function specification(steps = state.steps) {
  return steps
    .map(({ algorithm, parameters }) => {
      const list = Object.entries(parameters).map(([name, value]) => `${name}=${JSON.stringify(value).replace(/^"([\w.+-]+)"$/, "$1")}`);
      return list.length ? `${algorithm}(${list.join(", ")})` : algorithm;
    })
    .join(" | ");
}

/** The session in a language: "command", "python" or "rust". */
export function code(language) {
  return { command, python, rust }[language]();
}

function command() {
  const data = table();
  const target = data.target ? ` --target ${data.target}` : "";
  const task = state.task === "classification" || state.task === "regression" ? ` --task ${state.task}` : "";
  const sequence = data.groups ? " --sequence sequence" : "";
  return `cat > points.csv <<'END'
${csv(data)}
END
didact fit '${specification()}' --data points.csv${target}${task}${sequence} --out model.didact
didact predict model.didact --data points.csv
`;
}

function python() {
  const data = table();
  return `import io
import pandas
import didact

table = pandas.read_csv(io.StringIO(r'''${csv(data)}
'''))
${data.groups ? pythonSequences(data) : state.task === "views" ? pythonViews() : pythonTable(data)}
`;
}

function pythonTable(data) {
  const target = data.target ? `, target="${data.target}"` : "";
  const task = state.task === "classification" || state.task === "regression" ? `, task="${state.task}"` : "";
  return `model = didact.Model(r'''${specification()}'''${task}).fit(table${target})
print(model.predict(table))`;
}

// A step as an object of its class.
const made = ({ algorithm, parameters }) => `didact.${entry(algorithm).name}(${Object.entries(parameters).map(([name, value]) => `${name}=${literal(value)}`).join(", ")})`;

// Steps in front transform the rows.
const before = (rows) => state.steps.slice(0, -1).map((step) => `${rows} = ${made(step)}.fit_transform(${rows})\n`).join("");

// The first columns are one view, the others the other.
function pythonViews() {
  const split = splitAt();
  return `views = table.to_numpy()
first, second = views[:, :${split}], views[:, ${split}:]
${before("first")}model = ${made(state.steps.at(-1))}.fit(first, second)
print(model.correlations_)
print(model.predict(first))
print(model.transform(first))`;
}

// Sequences are rows and lengths, which the classes take.
function pythonSequences({ names, target }) {
  return `rows = table[${JSON.stringify(names)}].to_numpy()
lengths = table.groupby("sequence", sort=False).size().to_list()
${before("rows")}model = ${made(state.steps.at(-1))}.fit(rows, lengths${target ? `, y=table["${target}"]` : ""})
print(model.predict(rows, lengths))`;
}

// A value as Python writes it.
function literal(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return Array.isArray(value) ? `[${value.map(literal).join(", ")}]` : JSON.stringify(value);
}

function rust() {
  const data = table();
  const target = data.target ? `\n    job.roles.target = Some("${data.target}".to_owned());` : "";
  const sequence = data.groups ? `\n    job.roles.sequence = Some("sequence".to_owned());` : "";
  const task = { classification: "Classification", regression: "Regression" }[state.task];
  return `// Cargo.toml: didact = { path = "…/crates/didact" }
use didact::core::{Run, Task};
use didact::data::{Format, ReadOptions, read_table, write_table};
use didact::{Job, Spec};

const POINTS: &str = r##"${csv(data)}
"##;

fn main() -> didact::Result<()> {
    let spec: Spec = r#"${specification()}"#.parse()?;
    std::fs::write("points.csv", POINTS).expect("the folder can be written");
    let table = read_table("points.csv", &ReadOptions::default())?;
    let mut job = Job::new(spec);${target}${sequence}
    job.task = ${task ? `Some(Task::${task})` : "None::<Task>"};
    let trained = job.fit(table.clone(), &Run::new())?;
    write_table(&trained.predict(table)?, "-", Some(Format::Csv))
}
`;
}
