// Forms out of JSON schemas: sliders, switches, lists, with the help that the schema holds.

/** The part of a schema with a reference followed. */
export function resolved(schema, part) {
  while (part.$ref) part = { ...schema.$defs[part.$ref.split("/").pop()], ...part, $ref: undefined };
  return part;
}

// The words among which one chooses, also where a choice is made of choices.
function words(part, schema) {
  if (part.const !== undefined) return [part.const];
  if (part.enum) return part.enum;
  const options = optionsOf(part, schema).flatMap((option) => words(option, schema));
  return [...new Set(options.filter((word) => typeof word === "string"))];
}

function optionsOf(part, schema) {
  return (part.oneOf ?? part.anyOf ?? []).map((option) => resolved(schema, option));
}

/** The default of every parameter. */
export function defaults(schema) {
  return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, part]) => [name, resolved(schema, part).default]));
}

/**
 * Fills a form; `onChange` hears of every change with the name and the value.
 * @param {HTMLFormElement} form
 */
export function fillForm(form, schema, values, onChange) {
  form.replaceChildren();
  form.onsubmit = (event) => event.preventDefault();
  // The first few parameters matter most; the rest is one click away.
  const more = document.createElement("details");
  more.append(Object.assign(document.createElement("summary"), { textContent: "more parameters" }));
  for (const [name, raw] of Object.entries(schema.properties ?? {})) {
    const part = resolved(schema, raw);
    const value = values[name] ?? part.default;
    const input = control(name, part, schema, value, onChange);
    if (!input) continue;
    const field = document.createElement("label");
    field.className = "field";
    field.title = part.description ?? "";
    const title = document.createElement("span");
    title.textContent = name;
    field.append(title, ...input);
    (form.children.length < 4 ? form : more).append(field);
  }
  if (more.children.length > 1) form.append(more);
}

function control(name, part, schema, value, onChange) {
  const choices = words(part, schema);
  const numeric = optionsOf(part, schema).find((option) => ["integer", "number"].includes(option.type));
  if (choices.length && numeric) return wordOrNumber(name, choices, numeric, value, onChange);
  if (choices.length) return list(name, choices, value, onChange);
  const kinds = [part.type].flat();
  if (kinds.includes("boolean")) return toggle(name, value, onChange);
  if (kinds.includes("integer") || kinds.includes("number")) return number(name, part, kinds.includes("integer"), value, onChange);
  if (numeric) return number(name, { ...numeric, ...part }, numeric.type === "integer", value, onChange, true);
  if (kinds.includes("string")) return text(name, value, onChange);
  return null; // lists of numbers are set by drawing or not at all
}

function list(name, choices, value, onChange) {
  const select = document.createElement("select");
  select.name = name;
  for (const choice of choices) select.add(new Option(choice, choice, false, choice === value));
  select.onchange = () => onChange(name, select.value);
  return [select];
}

const A_NUMBER = "a number";

// A word, or a number that is asked for where no word is chosen.
function wordOrNumber(name, choices, part, value, onChange) {
  const isNumber = typeof value === "number";
  const fields = number(name, part, part.type === "integer", isNumber ? value : 1, onChange);
  fields[1].name = `${name}-slider`;
  const show = (visible) => fields.forEach((field) => { field.hidden = !visible; });
  const [select] = list(name, [...choices, A_NUMBER], isNumber ? A_NUMBER : value, (_, word) => {
    show(word === A_NUMBER);
    onChange(name, word === A_NUMBER ? Number(fields[0].value) : word);
  });
  show(isNumber);
  return [select, ...fields];
}

function toggle(name, value, onChange) {
  const box = document.createElement("input");
  box.type = "checkbox";
  box.name = name;
  box.checked = Boolean(value);
  box.onchange = () => onChange(name, box.checked);
  return [box];
}

function text(name, value, onChange) {
  const input = document.createElement("input");
  input.type = "text";
  input.name = name;
  input.value = typeof value === "string" ? value : (value ?? []).map?.((step) => step.algorithm).join(" | ") ?? "";
  input.onchange = () => onChange(name, input.value);
  return [input];
}

// Numbers that may span powers of ten are set on a logarithmic scale.
function number(name, part, whole, value, onChange, optional = false) {
  const slider = document.createElement("input");
  slider.type = "range";
  slider.name = name;
  const exact = document.createElement("input");
  exact.type = "number";
  exact.name = `${name}-exact`;
  exact.setAttribute("aria-label", name);
  exact.style.cssText = "grid-column: 2; width: 7.5em; padding: 1px 6px;";
  const scale = scaleOf(part, whole, value);
  Object.assign(slider, { min: 0, max: scale.steps, step: 1 });
  exact.step = whole ? 1 : "any";
  exact.value = value ?? "";
  exact.placeholder = optional ? "all" : "";
  slider.value = scale.toStep(value ?? scale.low);
  slider.oninput = () => {
    exact.value = scale.toValue(Number(slider.value));
    onChange(name, Number(exact.value));
  };
  exact.onchange = () => {
    const given = exact.value === "" ? (optional ? null : part.default) : Number(exact.value);
    if (given !== null) slider.value = scale.toStep(given);
    onChange(name, given);
  };
  return [exact, slider];
}

function scaleOf(part, whole, value) {
  const low = part.minimum ?? part.exclusiveMinimum ?? Math.min(0, value ?? 0);
  const high = part.maximum ?? (whole ? Math.max(20, 4 * (value ?? 5)) : Math.max(10, 10 * Math.abs(value ?? 1)));
  if (whole) {
    const top = Math.min(high, low + 2000);
    return { low, steps: top - low, toValue: (step) => low + step, toStep: (v) => v - low };
  }
  const wide = (value ?? 1) > 0 && low >= 0 && part.maximum === undefined;
  if (wide) {
    const [from, to] = [Math.log10(Math.min(1e-4, (value || 1) / 100)), Math.log10(Math.max(1e3, (value || 1) * 100))];
    const toValue = (step) => Number((10 ** (from + (step / 200) * (to - from))).toPrecision(3));
    const toStep = (v) => Math.round(((Math.log10(Math.max(v, 1e-300)) - from) / (to - from)) * 200);
    return { low: 10 ** from, steps: 200, toValue, toStep };
  }
  const toValue = (step) => Number((low + (step / 200) * (high - low)).toPrecision(4));
  return { low, steps: 200, toValue, toStep: (v) => Math.round(((v - low) / (high - low)) * 200) };
}
