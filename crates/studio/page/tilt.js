// A line that is turned by hand, with its tube and its margin: the flatter, the wider the margin.

import { tubeMargin } from "./curve.js";
import { learned } from "./pairs.js";
import { css, themed } from "./palette.js";
import { $, neat, sharp } from "./parts.js";
import { paint, shown } from "./picture.js";
import { state } from "./state.js";
import { handLine } from "./tiltview.js";

const EDGE = 26;

const curveOf = (answer) => answer?.maps.find(({ kind }) => kind === "curve");

/** The slope of the fitted line. */
const fittedSlope = ({ x, y }) => (y.at(-1) - y[0]) / (x.at(-1) - x[0]);

/** Shows the margin of an answer that puts a tube around a straight line. */
export function showTilt(answer) {
  const curve = curveOf(answer);
  const there = Boolean(curve && answer.tube && tubeMargin(answer, curve));
  $("tilt").hidden = $("tilt-facts").hidden = !there;
  if (!there) {
    state.hand.slope = null;
    return;
  }
  const fitted = fittedSlope(curve);
  const most = Number((3 * Math.max(Math.abs(fitted), 1e-6)).toPrecision(2));
  Object.assign($("slope"), { min: -most, max: most, step: most / 300, value: state.hand.slope ?? fitted });
  tell(answer, fitted);
}

// How much of the points the tube leaves out.
function cost({ slope, offset }, tube) {
  const slacks = learned().map(({ c }) => Math.max(0, Math.abs(c[state.axes[1]] - slope * c[state.axes[0]] - offset) - tube)).filter((slack) => slack > 1e-9);
  return `${slacks.length} points outside, with slack ${neat(slacks.reduce((sum, slack) => sum + slack, 0))} in all`;
}

function tell(answer, fitted) {
  const { tube } = answer;
  const slope = state.hand.slope ?? fitted;
  const line = state.hand.slope === null ? { slope, offset: curveOf(answer).y[0] - slope * curveOf(answer).x[0] } : handLine();
  $("slope-value").textContent = neat(slope);
  $("slope-fitted").disabled = state.hand.slope === null;
  const margin = Math.abs(slope) > 1e-9 ? neat((2 * tube) / Math.abs(slope)) : "without end";
  const which = state.hand.slope === null ? "The fitted line" : Math.abs(slope) < Math.abs(fitted) ? "A flatter line" : "A steeper line";
  $("tilt-words").textContent = `${which}: margin m = 2ε/|w| ${margin === "without end" ? margin : `= ${margin}`}; ${cost(line, tube)}. So far apart must two places be for the line to differ by 2ε = ${neat(2 * tube)}.`;
  paintMargins(tube, slope, fitted);
}

// The margin over the slope, with the fitted line and the one by hand.
function paintMargins(tube, slope, fitted) {
  const [context, width, height] = sharp($("margin-curve"));
  const most = Number($("slope").max);
  const high = (8 * 2 * tube) / most;
  const place = (w, margin) => [EDGE + ((w + most) / (2 * most)) * (width - 2 * EDGE), height - EDGE - (Math.min(margin, 1.2 * high) / high) * (height - 2 * EDGE)];
  const margin = (w) => (2 * tube) / Math.max(Math.abs(w), 1e-12);
  context.strokeStyle = themed("line");
  context.beginPath();
  context.moveTo(...place(-most, 0));
  context.lineTo(...place(most, 0));
  context.stroke();
  context.save();
  context.beginPath();
  context.rect(0, 4, width, height - EDGE);
  context.clip();
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  for (const side of [-1, 1]) {
    context.beginPath();
    for (let step = 2; step <= 200; step++) context.lineTo(...place((side * most * step) / 200, margin((most * step) / 200)));
    context.stroke();
  }
  for (const [w, ink] of [[fitted, 4], ...(state.hand.slope === null ? [] : [[slope, 2]])]) {
    context.fillStyle = css(ink);
    context.beginPath();
    context.arc(...place(w, Math.min(margin(w), high)), 5, 0, 2 * Math.PI);
    context.fill();
  }
  context.restore();
  context.fillStyle = themed("faint");
  context.fillText("margin m", 6, 14);
  context.textAlign = "center";
  for (const w of [-most, 0, most]) context.fillText(String(Number(w.toPrecision(2))).replace("-", "−"), place(w, 0)[0], height - 9);
  context.textAlign = "right";
  context.fillText("slope w", width - 34, height - 9);
}

export function wireTilt() {
  const refresh = () => {
    const curve = curveOf(shown.answer);
    if (curve) tell(shown.answer, fittedSlope(curve));
    paint();
  };
  $("slope").oninput = () => {
    state.hand.slope = Number($("slope").value);
    refresh();
  };
  $("slope-fitted").onclick = () => {
    state.hand.slope = null;
    $("slope").value = fittedSlope(curveOf(shown.answer));
    refresh();
  };
}
