// The dialog of the mixing laboratory: a matrix mixes two sources, and one angle parts them again.

import { inPlace, isSingular, KINDS, kurtosis, matched, mixed, product, search, standardised, turned, whitener } from "./mixing.js";
import { paintIndex, paintLab } from "./mixview.js";
import { $, button, neat } from "./parts.js";
import { guarded } from "./say.js";

const MILLISECONDS = 450;
const MOST_VALUES = 128 * 128;

let sources = null;
let angle = 0;
// The angles that the search went through, and which of them is shown.
let path = [];
let at = 0;
let timer = null;
let playing = null;

const matrixNow = () => [0, 1].map((row) => [0, 1].map((column) => Number($(`mix-${row}${column}`).value) || 0));

/** Everything that the dialog shows. */
export function laboratory() {
  const mixing = matrixNow();
  const mixtures = mixed(mixing, sources.values);
  const singular = isSingular(mixing);
  const white = singular ? null : whitener(mixtures);
  const whitened = white && mixed(white, mixtures);
  const parted = whitened && turned(angle, whitened);
  return { sources, mixing, mixtures, singular: singular || !white, white, whitened, parted, rotation: white && product(white, mixing), match: parted && matched(parted, sources.values) };
}

function open() {
  $("mixing").showModal();
  if (!sources) choose();
  else show();
}

function choose() {
  const kind = KINDS[$("mix-kind").value];
  sources = kind.make();
  write(kind.mixing);
  begin();
}

function write(matrix) {
  matrix.forEach((line, row) => line.forEach((value, column) => { $(`mix-${row}${column}`).value = value; }));
}

// From the start: nothing is turned yet.
function begin() {
  stop();
  path = [];
  at = 0;
  angle = 0;
  show();
}

function show() {
  const lab = laboratory();
  $("mix-angle").value = String(Math.round((180 * angle) / Math.PI));
  for (const id of ["mix-angle", "mix-find", "mix-step"]) $(id).disabled = lab.singular;
  $("mix-play").hidden = sources.kind !== "sounds";
  const placed = lab.parted && inPlace(lab.parted, sources.values);
  paintLab($("mix-canvas"), { ...lab, placed, angle });
  paintIndex($("mix-index"), lab.whitened, angle, path.slice(0, at + 1));
  $("mix-words").textContent = words(lab);
  $("mix-words").classList.toggle("bad", lab.singular);
}

function words({ mixing: [[a, b], [c, d]], singular, rotation, match, parted }) {
  const determinant = `|A| = ${neat(Number((a * d - b * c).toPrecision(6)))}`;
  if (singular) return `${determinant}: this mixing is singular. Both mixtures say the same, all points lie on one line, and a source is lost: no method can part them.`;
  const round = path.length ? ` Round ${at} of ${path.length - 1}.` : "";
  const far = parted.map((list) => kurtosis(list).toFixed(2)).join(" and ");
  const [p, q] = rotation[0];
  const turn = `White, the mixture is only turned (rows of length ${neat(Math.hypot(p, q))}), by an angle that no covariance tells.`;
  return `${determinant}. ${turn}${round} Kurtosis ${far}. Matched: ${match.map(({ source, correlation }, index) => `y${index + 1} is ${correlation < 0 ? "−" : ""}s${source + 1} (correlation ${Math.abs(correlation).toFixed(3)})`).join(", ")}.`;
}

// The whole way at once; the rounds are then walked or played.
function find() {
  const { whitened } = laboratory();
  path = search(whitened, angle);
  at = 0;
}

function step() {
  if (!path.length || at >= path.length - 1) find();
  at = Math.min(at + 1, path.length - 1);
  angle = path[at];
  show();
}

function play() {
  stop();
  find();
  timer = setInterval(() => {
    step();
    if (at >= path.length - 1) stop();
  }, MILLISECONDS);
}

function stop() {
  clearInterval(timer);
  timer = null;
}

// Lets two files be the sources: pictures or sounds, as long as the shorter of them.
async function load(files) {
  if (files.length !== 2) throw new Error("choose two files: two pictures or two sounds");
  const pictures = [...files].every(({ type }) => type.startsWith("image/"));
  sources = pictures ? await loadPictures(files) : await loadSounds(files);
  $("mix-kind").value = pictures ? "pictures" : "sounds";
  write(KINDS[$("mix-kind").value].mixing);
  begin();
}

async function loadPictures(files) {
  const side = 96;
  const values = await Promise.all([...files].map(async (file) => {
    const context = new OffscreenCanvas(side, side).getContext("2d");
    context.drawImage(await createImageBitmap(file), 0, 0, side, side);
    const { data } = context.getImageData(0, 0, side, side);
    return standardised(Float64Array.from({ length: side * side }, (_, pixel) => 0.299 * data[4 * pixel] + 0.587 * data[4 * pixel + 1] + 0.114 * data[4 * pixel + 2]));
  }));
  return { kind: "pictures", wide: side, values };
}

async function loadSounds(files) {
  const context = new AudioContext();
  const decoded = await Promise.all([...files].map(async (file) => context.decodeAudioData(await file.arrayBuffer()).catch(() => { throw new Error(`${file.name} is no sound that this browser reads`); })));
  context.close();
  const long = Math.min(MOST_VALUES * 8, ...decoded.map(({ length }) => length));
  return { kind: "sounds", rate: decoded[0].sampleRate, values: decoded.map((sound) => standardised(Float64Array.from(sound.getChannelData(0).slice(0, long)))) };
}

function hear(values, rate) {
  playing?.close();
  playing = new AudioContext();
  const most = Math.max(...[values.reduce((top, value) => Math.max(top, Math.abs(value)), 0), 1e-9]);
  const buffer = playing.createBuffer(1, values.length, rate);
  buffer.copyToChannel(Float32Array.from(values, (value) => (0.6 * value) / most), 0);
  const player = playing.createBufferSource();
  player.buffer = buffer;
  player.connect(playing.destination);
  player.start();
}

export function wireMixing() {
  $("open-mixing").onclick = guarded(open);
  $("mix-kind").replaceChildren(...Object.entries(KINDS).map(([id, { words: called }]) => new Option(called, id)));
  $("mix-kind").onchange = choose;
  for (const cell of document.querySelectorAll("#mix-matrix input")) cell.oninput = begin;
  $("mix-angle").oninput = () => {
    stop();
    path = [];
    at = 0;
    angle = (Number($("mix-angle").value) * Math.PI) / 180;
    show();
  };
  $("mix-find").onclick = play;
  $("mix-step").onclick = () => {
    stop();
    step();
  };
  $("mix-again").onclick = begin;
  $("mix-load").onclick = () => $("mix-files").click();
  $("mix-files").onchange = async (event) => {
    try {
      await load(event.target.files);
    } catch (error) {
      $("mix-words").textContent = error.message;
      $("mix-words").classList.add("bad");
    }
    event.target.value = "";
  };
  const listen = [["source", () => laboratory().sources.values], ["mixture", () => laboratory().mixtures], ["parted", () => { const { parted } = laboratory(); return parted ? inPlace(parted, sources.values) : laboratory().mixtures; }]];
  $("mix-play").replaceChildren(...listen.flatMap(([name, lists]) => [0, 1].map((index) => button(`♪ ${name} ${index + 1}`, `Hear ${name} ${index + 1}`, () => hear(lists()[index], sources.rate)))));
  $("mixing").onclose = () => {
    stop();
    playing?.close();
    playing = null;
  };
}
