// The dialog that shares and exports.

import { file } from "./api.js";
import { code, csv } from "./code.js";
import { question } from "./fitting.js";
import { $ } from "./parts.js";
import { guarded, say } from "./say.js";
import { pack, png, save, svg } from "./share.js";
import { restore, session, state } from "./state.js";

async function open() {
  $("link").value = `${location.origin}/#session=${await pack(session())}`;
  showCode("command");
  $("sharing").showModal();
}

function showCode(language) {
  for (const tab of document.querySelectorAll("[data-language]")) tab.setAttribute("aria-selected", String(tab.dataset.language === language));
  $("code").value = code(language);
}

export function wireSharing() {
  $("open-share").onclick = guarded(open);
  $("copy-link").onclick = guarded(async () => {
    history.replaceState(null, "", new URL($("link").value).hash);
    await navigator.clipboard?.writeText($("link").value);
    say("the link is in the clipboard");
  });
  $("save-state").onclick = () => save("session.json", JSON.stringify(session()), "application/json");
  $("choose-state").onclick = () => $("open-state").click();
  $("open-state").onchange = guarded(async (event) => {
    restore(JSON.parse(await event.target.files[0].text()));
    $("sharing").close();
  });
  $("save-csv").onclick = () => save("points.csv", csv(), "text/csv");
  $("save-png").onclick = guarded(async () => save("didact.png", await png()));
  $("save-svg").onclick = guarded(async () => save("didact.svg", await svg(), "image/svg+xml"));
  $("copy-png").onclick = guarded(async () => {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": png() })]);
    say("the picture is in the clipboard");
  });
  $("save-model").onclick = guarded(async () => {
    const request = question(state.steps, false);
    if (!request) throw new Error("there is no model yet");
    save("model.didact", await file("/api/model", request));
  });
  for (const tab of document.querySelectorAll("[data-language]")) tab.onclick = () => showCode(tab.dataset.language);
}
