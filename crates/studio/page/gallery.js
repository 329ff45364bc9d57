// The scenes and the links: one click, or one address, opens a whole set-up.

import { openIsolines } from "./isolines.js";
import { $, button, element } from "./parts.js";
import { fitView, size, zoom } from "./plane.js";
import { guarded } from "./say.js";
import { SCENES, sceneSession } from "./scenes.js";
import { openSchematic } from "./schematics.js";
import { unpack } from "./share.js";
import { changed, restore } from "./state.js";
import { stopPlaying } from "./stepper.js";

const TITLES = { classification: "Telling classes apart", clustering: "Finding groups", regression: "Following numbers", transformation: "Finding axes", views: "Relating two views", density: "Describing", sequence: "Sequences" };

export function showScenes() {
  const box = $("scenes").querySelector(".groups");
  box.replaceChildren();
  for (const [task, title] of Object.entries(TITLES)) {
    const list = SCENES.filter((scene) => scene.task === task);
    if (!list.length) continue;
    const cards = element("div", undefined, "cards");
    cards.append(...list.map(card));
    box.append(element("h3", title), cards);
  }
}

function card(scene) {
  const made = button(undefined, undefined, guarded(async () => {
    $("scenes").close();
    await openScene(scene);
    history.replaceState(null, "", `#scene=${scene.id}`);
  }));
  made.append(element("b", scene.title), element("span", scene.lesson));
  return made;
}

async function openScene(scene) {
  stopPlaying();
  restore(await sceneSession(scene));
  fitView();
  if (scene.zoom) zoom(scene.zoom, [size.width / 2, size.height / 2]);
  changed("view");
  $("lesson-text").textContent = scene.lesson;
  $("lesson").hidden = false;
}

/** Opens what the address asks for. */
export async function openLink() {
  const hash = new URLSearchParams(location.hash.slice(1));
  const scene = SCENES.find((candidate) => candidate.id === hash.get("scene"));
  if (scene) await openScene(scene);
  else if (hash.get("session")) restore(await unpack(hash.get("session")));
  if (hash.get("schematic")) await openSchematic(hash.get("schematic"));
  if (hash.get("isolines")) await openIsolines(hash.get("isolines"));
}

export function wireGallery() {
  $("open-scenes").onclick = () => $("scenes").showModal();
  $("close-lesson").onclick = () => { $("lesson").hidden = true; };
}
