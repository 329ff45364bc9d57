// The page: wires the controls to the state, and the state to the picture.

import { wireBeliefs } from "./beliefs.js";
import { entry, fetchCatalogue, last } from "./catalogue.js";
import { wireChain } from "./chain.js";
import { wireCompare } from "./compare.js";
import { fillData, wireData } from "./datapanel.js";
import { wireDendrogram } from "./dendrogram.js";
import { showDescent, wireDescent } from "./descent.js";
import { paintBowl } from "./descentview.js";
import { wireDynamics } from "./dynamics.js";
import { showNetwork, wireNetwork } from "./fittednet.js";
import { fitSoon, whenFitted } from "./fitting.js";
import { openLink, showScenes, wireGallery } from "./gallery.js";
import { wireEigen } from "./eigen.js";
import { wireImages } from "./images.js";
import { wireInspect } from "./inspect.js";
import { wireIsolines } from "./isolines.js";
import { offer, openJudge } from "./judging.js";
import { wireKeyboard } from "./keyboard.js";
import { wireLabs } from "./labs.js";
import { wireLaws } from "./laws.js";
import { wireLesion } from "./lesion.js";
import { setParameter, showMethod, wireMethods } from "./methods.js";
import { showModel } from "./panels.js";
import { wireMixing } from "./mixlab.js";
import { wireNetworks } from "./networks.js";
import { wireOptimising } from "./optimising.js";
import { $ } from "./parts.js";
import { paint, prepare, shown } from "./picture.js";
import { fitView, size, zoom } from "./plane.js";
import { wirePlasticity } from "./plasticity.js";
import { wireQuality } from "./quality.js";
import { guarded, say } from "./say.js";
import { SCENES } from "./scenes.js";
import { wireSchematics } from "./schematics.js";
import { wireSharing } from "./sharing.js";
import { changed, onChange, redo, state, undo } from "./state.js";
import { showStepper, wireStepper } from "./stepper.js";
import { wireSweep } from "./sweep.js";
import { wireTilt } from "./tilt.js";
import { showAxes, showClasses, showCounts, showLayers, showTools, wireToolbox } from "./toolbox.js";
import { drawing, listen } from "./tools.js";
import { wireVariates } from "./variates.js";
import { wireWorld } from "./world.js";
import { wireWorkbench } from "./workbench.js";

/** From here on a fit while one draws would be felt. */
const MANY = 4000;

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  paint();
  // Small pictures have colours as well.
  if (!shown.answer) return;
  showModel(shown.answer);
  showStepper(shown.answer);
  showNetwork(shown.answer);
  if (state.hand.way) paintBowl($("bowl"));
}

function wireHeader() {
  $("undo").onclick = undo;
  $("redo").onclick = redo;
  $("fit-view").onclick = () => {
    fitView();
    changed("view");
  };
  for (const [id, factor] of [["zoom-in", 0.8], ["zoom-out", 1.25]]) {
    $(id).onclick = () => {
      zoom(factor, [size.width / 2, size.height / 2]);
      changed("view");
    };
  }
  $("theme").onclick = () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

function wireModel() {
  $("open-judge").onclick = () => openJudge(entry(last().algorithm).schema);
  wireQuality((name, count) => {
    // A height of the cut would decide in place of the number.
    delete last().parameters.distance_threshold;
    setParameter(name, count);
  }, fitSoon);
  wireDendrogram((height) => setParameter("distance_threshold", height));
  whenFitted((answer) => {
    showModel(answer);
    offer(answer?.pictures);
    guarded(showDescent)(answer);
    showNetwork(answer);
    showStepper(answer);
  });
}

function wireStage() {
  prepare({ map: $("map"), points: $("points"), model: $("model"), overlay: $("overlay") });
  listen($("points"));
  $("points").addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(event.deltaY * 0.0015), [event.offsetX, event.offsetY]);
    changed("view");
  }, { passive: false });
}

// What the left side shows, so that drawing a point does not build all of it anew.
let before = {};

function follow(what) {
  paint();
  if (what === "overlay") return;
  if (what !== "view") say("");
  const { classes, names } = state.drawing;
  if (what === "drawing" || what === "method") {
    state.step = null;
    showCounts();
    if (before.classes !== classes) showClasses();
  }
  if (what === "method") {
    showMethod();
    showLayers();
  }
  if (what === "method" || before.names !== names || before.axes !== state.axes) showAxes();
  before = { classes, names, axes: state.axes };
  // Sending many points takes time that a gesture needs: a moving view is waited for.
  const many = state.drawing.points.length > MANY;
  if (what === "view") fitSoon(120, many);
  else fitSoon(many && drawing() ? 300 : 40);
}

async function start() {
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  wireStage();
  wireHeader();
  wireModel();
  for (const wire of [wireToolbox, wireData, wireDescent, wireChain, wireDynamics, wireEigen, wireGallery, wireImages, wireInspect, wireIsolines, wireCompare, wireKeyboard, wireLabs, wireLaws, wireLesion, wireMixing, wireSchematics, wireSharing, wireStepper, wireSweep, wireTilt, wireVariates, wireWorkbench, wireWorld, wireBeliefs, wireNetwork, wireNetworks, wireOptimising, wirePlasticity]) wire();
  showTools();
  showScenes();
  fitView();
  await fetchCatalogue();
  wireMethods();
  onChange(follow);
  // An empty page begins with the method of the first scene.
  state.steps = structuredClone(SCENES[0].steps);
  changed("method");
  await fillData();
  await guarded(openLink)();
  addEventListener("hashchange", guarded(openLink));
  document.body.dataset.ready = "true";
}

guarded(start)();
