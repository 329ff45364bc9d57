// The dialog of lesions: a network loses its weights, and its accuracy falls little by little.

import { dots, isOwnNetwork, lesionQuestion, networkWords, wholePlane } from "./lesionsubject.js";
import { paintDamage, paintLoss, shareAt, summary } from "./lesionview.js";
import { newestQuestion } from "./newest.js";
import { $ } from "./parts.js";
import { guarded } from "./say.js";

const CELLS = 80;

let answer = null;
const question = newestQuestion();
// Which of the steps from the whole network to none is shown.
let at = 0;
let seed = 0;

/** What was found and what is shown of it. */
export const lesionNow = () => ({ answer, at, busy: question.busy() });

async function find() {
  tell("The network is being taught …");
  try {
    const found = await question.ask("/api/lesion", lesionQuestion({ hidden: count("lesion-hidden", 1, 500), repeats: count("lesion-repeats", 1, 100), seed }, CELLS));
    if (!found) return;
    answer = found;
    show();
  } catch (error) {
    answer = null;
    show();
    tell(error.message, true);
  }
}

// A whole number of a field, brought within its bounds.
function count(id, least, most) {
  const number = Math.max(least, Math.min(most, Math.round(Number($(id).value)) || least));
  $(id).value = number;
  return number;
}

function show() {
  const last = (answer?.steps.length ?? 21) - 1;
  $("lesion-share").max = last;
  $("lesion-share").value = at;
  $("lesion-value").textContent = `${Math.round((100 * at) / last)} %`;
  $("lesion-stage").hidden = !answer;
  $("lesion-share").disabled = !answer;
  if (!answer) return;
  const step = answer.steps[at];
  $("lesion-map").hidden = !step.map;
  if (step.map) paintDamage($("lesion-map"), answer, step, wholePlane(), dots());
  paintLoss($("lesion-curve"), answer, at);
  tell(words(step));
}

function words(step) {
  const { mean, low, high } = summary(step);
  const whole = summary(answer.steps[0]).mean;
  // Where half of what was above guessing is gone.
  const half = answer.steps.find((one) => summary(one).mean <= (whole + answer.chance) / 2);
  const percent = (value) => `${Number((100 * value).toPrecision(3))} %`;
  const judged = `${answer.judged} points ${answer.held ? "that were held back" : "that it learned from"}`;
  return `${step.removed} of ${answer.weights} weights are lost: ${percent(step.scores[0])} of ${judged} are right in the network that is shown, ${percent(mean)} on average (${percent(low)} to ${percent(high)}). ${half ? `Half of what the whole network knew beyond guessing is gone at a loss of ${percent(half.share)}.` : ""}`;
}

function tell(text, bad = false) {
  $("lesion-words").textContent = text;
  $("lesion-words").classList.toggle("bad", bad);
}

function open() {
  $("lesion").showModal();
  $("lesion-source").textContent = networkWords();
  $("lesion-hidden-row").hidden = isOwnNetwork();
  answer = null;
  show();
  find();
}

export function wireLesion() {
  $("open-lesion").onclick = guarded(open);
  const move = (to) => {
    at = to;
    if (answer) show();
  };
  $("lesion-share").oninput = () => move(Number($("lesion-share").value));
  $("lesion-hidden").onchange = find;
  $("lesion-repeats").onchange = find;
  $("lesion-again").onclick = () => {
    seed += 1000;
    find();
  };
  const curve = $("lesion-curve");
  const drag = (event) => {
    if (answer && event.buttons) move(Math.round(shareAt(curve, event.offsetX) * (answer.steps.length - 1)));
  };
  curve.onpointerdown = (event) => {
    curve.setPointerCapture(event.pointerId);
    drag(event);
  };
  curve.onpointermove = drag;
  $("lesion").onclose = () => question.stop();
}
