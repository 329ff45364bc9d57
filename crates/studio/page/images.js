// The dialog of the image laboratory: pictures are loaded, cut out, labelled and used as data.

import { onPictures, take } from "./datapanel.js";
import { drawingOfSet, emptySet, middle, MOST, pixelsOf, read, setOfDrawing, written } from "./imageset.js";
import { showFilter, wireFilter } from "./imagefilter.js";
import { css, themed } from "./palette.js";
import { $, button, element, sharp } from "./parts.js";
import { guarded } from "./say.js";
import { save } from "./share.js";
import { state } from "./state.js";
import { inkOf, paintLarge, pictureOf } from "./thumbnails.js";

/** @type {import("./imageset.js").ImageSet} */
let set = emptySet();
// The picture that parts are cut out of, the part that is chosen, and how it lies on the canvas.
let source = null;
let part = null;
let placed = null;
let label = 0;
let stream = null;

/** The pictures of the laboratory. */
export const imageSet = () => set;

/** Opens the dialog; where the points are pictures, with them. */
export function openImages() {
  const drawn = setOfDrawing(state.drawing);
  if (drawn) set = drawn;
  $("images").showModal();
  showAll();
}

/** Loads picture files: the middle of each is added, and the last can be cut again. */
export async function loadPictures(files) {
  if (!$("images").open) openImages();
  for (const file of files) {
    source = await createImageBitmap(file).catch(() => { throw new Error(`${file.name} is no picture that this browser reads`); });
    part = middle(source);
    add();
  }
  showAll();
}

function add() {
  if (!source) throw new Error("load a picture first");
  if (set.pictures.length >= MOST) throw new Error(`a set has at most ${MOST} pictures`);
  set.pictures.push({ row: pixelsOf(source, part, set.size), label });
}

function tell(text, bad = false) {
  $("image-words").textContent = text;
  $("image-words").classList.toggle("bad", bad);
}

// The work with its errors said in the dialog.
const told = (work) => async (...given) => {
  try {
    await work(...given);
  } catch (error) {
    tell(error.message, true);
  }
};

function showAll() {
  showClasses();
  showSet();
  paintSource();
  $("image-side").value = String(set.size.wide);
  $("image-colour").checked = set.size.channels === 3;
  // Pictures of another size do not belong to the set.
  for (const id of ["image-side", "image-colour"]) $(id).disabled = set.pictures.length > 0;
  for (const id of ["save-pictures", "use-pictures", "clear-pictures"]) $(id).disabled = !set.pictures.length;
  $("add-part").disabled = !source;
  const counts = set.classes.map((name, index) => `${name} ${set.pictures.filter((picture) => picture.label === index).length}`);
  tell(set.pictures.length ? `${set.pictures.length} pictures of ${set.size.wide}×${set.size.tall}${set.size.channels === 3 ? " in colour" : ""}: ${counts.join(", ")}.` : "Load or drop pictures, take one with the camera, or open the handwritten digits.");
  showFilter(set);
}

function showClasses() {
  const list = set.classes.map((name, index) => chip(name, index));
  list.push(button("+", "Add a class", () => {
    set.classes = [...set.classes, String.fromCharCode(65 + set.classes.length)];
    label = set.classes.length - 1;
    showAll();
  }));
  list.at(-1).setAttribute("aria-label", "Add a class of pictures");
  $("image-classes").replaceChildren(...list);
}

function chip(name, index) {
  const made = button(undefined, "Pictures that are loaded or clicked get this class", () => {
    label = index;
    showClasses();
  });
  const dot = element("span", undefined, "dot");
  dot.style.background = css(index);
  made.append(dot, name);
  made.setAttribute("role", "radio");
  made.setAttribute("aria-checked", String(label === index));
  return made;
}

// Every picture is a button: a click gives it the chosen class, Delete takes it away.
function showSet() {
  const side = set.size.wide > 16 ? 40 : 32;
  const ratio = window.devicePixelRatio || 1;
  const cards = set.pictures.slice(0, 400).map((picture, index) => {
    const made = button(undefined, "Click to give it the chosen class, Delete to remove it", () => {
      picture.label = label;
      showAll();
      $("image-grid").children[index]?.focus();
    });
    made.setAttribute("aria-label", `Picture ${index + 1}, class ${set.classes[picture.label] ?? "none"}`);
    made.style.borderColor = css(picture.label);
    made.onkeydown = (event) => {
      if (event.key !== "Delete" && event.key !== "Backspace") return;
      set.pictures.splice(index, 1);
      showAll();
      $("image-grid").children[Math.min(index, set.pictures.length - 1)]?.focus();
    };
    const canvas = element("canvas");
    Object.assign(canvas, { width: side * ratio, height: side * ratio });
    paintLarge(canvas.getContext("2d"), pictureOf(picture.row, set.size, [0, 1], inkOf(picture.label)), 0, 0, side * ratio);
    Object.assign(canvas.style, { width: `${side}px`, height: `${side}px` });
    made.append(canvas);
    return made;
  });
  $("image-grid").replaceChildren(...cards);
  if (set.pictures.length > cards.length) $("image-grid").append(element("span", `… and ${set.pictures.length - cards.length} more`, "quiet"));
}

function paintSource() {
  const [context, width, height] = sharp($("image-source"));
  if (!source) {
    context.fillStyle = themed("faint");
    context.textAlign = "center";
    context.fillText("the picture to cut from", width / 2, height / 2);
    return;
  }
  const scale = Math.min(width / source.width, height / source.height);
  placed = { scale, left: (width - scale * source.width) / 2, top: (height - scale * source.height) / 2 };
  context.drawImage(source, placed.left, placed.top, scale * source.width, scale * source.height);
  const [x, y] = [placed.left + scale * part.x, placed.top + scale * part.y];
  context.fillStyle = "rgba(0, 0, 0, 0.45)";
  context.beginPath();
  context.rect(0, 0, width, height);
  context.rect(x, y, scale * part.wide, scale * part.tall);
  context.fill("evenodd");
  context.strokeStyle = css(4);
  context.lineWidth = 2;
  context.strokeRect(x, y, scale * part.wide, scale * part.tall);
}

// A square from where the pointer went down; with the arrow keys the one that is there moves.
function wireCutting() {
  const canvas = $("image-source");
  let corner = null;
  const spot = (event) => [(event.offsetX - placed.left) / placed.scale, (event.offsetY - placed.top) / placed.scale];
  const inside = (value, most) => Math.max(0, Math.min(most, value));
  canvas.onpointerdown = (event) => {
    if (!source) return;
    corner = spot(event);
    canvas.setPointerCapture(event.pointerId);
  };
  canvas.onpointermove = (event) => {
    if (!corner) return;
    const [x, y] = spot(event);
    const wanted = Math.max(Math.abs(x - corner[0]), Math.abs(y - corner[1]), 4);
    const [right, down] = [x >= corner[0], y >= corner[1]];
    const room = Math.min(right ? source.width - corner[0] : corner[0], down ? source.height - corner[1] : corner[1]);
    const side = Math.min(wanted, room);
    if (side < 2) return;
    part = { x: inside(right ? corner[0] : corner[0] - side, source.width), y: inside(down ? corner[1] : corner[1] - side, source.height), wide: side, tall: side };
    paintSource();
  };
  canvas.onpointerup = () => { corner = null; };
  canvas.onkeydown = (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!source || !(step || ["+", "-", "Enter"].includes(event.key))) return;
    event.preventDefault();
    if (event.key === "Enter") return $("add-part").click();
    const far = Math.max(1, Math.min(source.width, source.height) / 50);
    const side = inside(part.wide + far * ({ "+": 1, "-": -1 }[event.key] ?? 0), Math.min(source.width, source.height)) || 2;
    const [dx, dy] = step ?? [0, 0];
    part = { x: inside(part.x + far * dx, source.width - side), y: inside(part.y + far * dy, source.height - side), wide: side, tall: side };
    paintSource();
  };
}

// The first press shows what the camera sees, the second takes it.
async function camera() {
  const video = $("image-camera");
  if (!stream) {
    if (!navigator.mediaDevices?.getUserMedia) throw new Error("this browser gives pages no camera here");
    stream = await navigator.mediaDevices.getUserMedia({ video: true }).catch(() => { throw new Error("there is no camera, or it may not be used"); });
    video.srcObject = stream;
    video.hidden = false;
    await video.play();
    $("take-picture").textContent = "Take it";
    return;
  }
  source = await createImageBitmap(video);
  part = middle(source);
  closeCamera();
  add();
  showAll();
}

function closeCamera() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  $("image-camera").hidden = true;
  $("take-picture").textContent = "Camera";
}

export function wireImages() {
  $("open-images").onclick = guarded(openImages);
  $("choose-pictures").onclick = () => $("picture-files").click();
  $("picture-files").onchange = told(async (event) => {
    await loadPictures(event.target.files);
    event.target.value = "";
  });
  $("take-picture").onclick = told(camera);
  $("add-part").onclick = told(() => {
    add();
    showAll();
  });
  const anew = () => {
    set = emptySet(Number($("image-side").value), $("image-colour").checked ? 3 : 1, set.classes);
    showAll();
  };
  $("image-side").onchange = anew;
  $("image-colour").onchange = anew;
  $("clear-pictures").onclick = anew;
  $("save-pictures").onclick = () => save("pictures.json", written(set), "application/json");
  $("choose-set").onclick = () => $("open-set").click();
  $("open-set").onchange = told(async (event) => {
    set = read(await event.target.files[0].text());
    event.target.value = "";
    showAll();
  });
  $("use-pictures").onclick = guarded(async () => {
    $("images").close();
    state.axes = [0, 1];
    take(drawingOfSet(set));
  });
  onPictures(loadPictures);
  $("images").onclose = closeCamera;
  wireCutting();
  wireFilter(() => set);
}
