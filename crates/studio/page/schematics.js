// The dialog of schematics: a script on the left, its picture on the right, and prepared ones to begin from.

import { $, button, element } from "./parts.js";
import { guarded } from "./say.js";
import { schematic } from "./schematic.js";
import { GALLERY } from "./schematicgallery.js";
import { COLOURS, COMMANDS, OPTIONS, SHAPES } from "./schematicwords.js";
import { pack, save, unpack } from "./share.js";

let made = null;

/** What the script draws, and what is wrong with it. */
export const schematicNow = () => made;

function show() {
  made = schematic($("schematic-script").value);
  $("schematic-picture").innerHTML = made.svg;
  const picture = $("schematic-picture").firstElementChild;
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", "The schematic that the script draws");
  const chosen = GALLERY.find(({ script }) => script === $("schematic-script").value);
  $("schematic-which").value = chosen?.id ?? "";
  showMistakes();
}

function showMistakes() {
  const list = made.mistakes.map(({ line, message }) => {
    const one = element("li");
    one.append(button(`line ${line}`, "Go to this line", () => goTo(line)), ` ${message}`);
    return one;
  });
  $("schematic-mistakes").replaceChildren(...list);
  const count = list.length;
  $("schematic-words").textContent = count ? `${count} ${count === 1 ? "line is" : "lines are"} not understood; the others are drawn.` : "Click something in the picture to find its line.";
  $("schematic-words").classList.toggle("bad", count > 0);
}

// Selects a line of the script.
function goTo(line) {
  const area = $("schematic-script");
  const lines = area.value.split("\n");
  const from = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  area.focus();
  area.setSelectionRange(from, from + (lines[line - 1]?.length ?? 0));
  area.scrollTop = Math.max(0, (line - 6) * (area.scrollHeight / lines.length));
}

function write(script) {
  $("schematic-script").value = script;
  show();
}

function explain() {
  const rows = Object.entries(COMMANDS).map(([name, { needs = [], options = [], meaning, form }]) => {
    const row = element("tr");
    const cell = element("td");
    cell.append(element("code", form));
    const more = options.filter((option) => !needs.includes(option));
    row.append(element("th", name), element("td", meaning), cell, element("td", more.map((option) => [option, ...OPTIONS[option].map((kind) => kind.toUpperCase())].join(" ")).join(", ")));
    return row;
  });
  const head = element("tr");
  head.append(...["command", "draws", "is written", "may be told"].map((word) => element("th", word)));
  const table = element("table");
  table.append(head, ...rows);
  const words = [
    "A command a line; what follows a # is for people. Places and sizes are in points from the upper left corner; most things lie about their place. Texts stand in quotation marks, with | between their lines.",
    `Colours: ${Object.keys(COLOURS).join(", ")}. Shapes: ${SHAPES.join(", ")}. A thing that was named (as agent) is an end of arrows and lines below.`,
  ];
  $("schematic-help").replaceChildren(element("summary", "The language"), ...words.map((text) => element("p", text)), table);
}

async function png() {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([made.svg], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = new OffscreenCanvas(2 * made.width, 2 * made.height);
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return await canvas.convertToBlob({ type: "image/png" });
  } finally {
    URL.revokeObjectURL(address);
  }
}

async function copyLink() {
  history.replaceState(null, "", `#schematic=${await pack({ script: $("schematic-script").value })}`);
  await navigator.clipboard?.writeText(location.href);
  $("schematic-words").textContent = "The link to this schematic is in the address and in the clipboard.";
}

function open() {
  if (!$("schematics").open) $("schematics").showModal();
  if (!$("schematic-script").value) write(GALLERY[0].script);
  else show();
}

/** Opens the schematic of a link. */
export async function openSchematic(packed) {
  const { script } = await unpack(packed);
  if (typeof script !== "string") throw new Error("this link holds no schematic");
  $("schematic-script").value = script;
  open();
}

export function wireSchematics() {
  $("open-schematics").onclick = guarded(open);
  $("schematic-which").replaceChildren(new Option("your own", "", false, false), ...GALLERY.map(({ id, title }) => new Option(title, id)));
  $("schematic-which").onchange = () => {
    const chosen = GALLERY.find(({ id }) => id === $("schematic-which").value);
    write(chosen?.script ?? "sheet 640 360\n");
  };
  $("schematic-script").oninput = show;
  $("schematic-picture").onclick = (event) => {
    const line = event.target.closest("[data-line]")?.dataset.line;
    if (line) goTo(Number(line));
  };
  const told = (work) => async () => {
    try {
      await work();
    } catch (error) {
      $("schematic-words").textContent = error.message;
      $("schematic-words").classList.add("bad");
    }
  };
  $("schematic-svg").onclick = () => save("schematic.svg", made.svg, "image/svg+xml");
  $("schematic-png").onclick = told(async () => save("schematic.png", await png()));
  $("schematic-save").onclick = () => save("schematic.txt", $("schematic-script").value);
  $("schematic-link").onclick = told(copyLink);
  $("schematic-choose").onclick = () => $("schematic-file").click();
  $("schematic-file").onchange = told(async () => {
    const [file] = $("schematic-file").files;
    if (file) write(await file.text());
    $("schematic-file").value = "";
  });
  explain();
}
