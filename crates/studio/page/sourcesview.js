// Sources beside what mixing and whitening make of them: joint densities with the law on either side.

import { paintPlane } from "./jointview.js";
import { css, themed } from "./palette.js";
import { ticks } from "./plane.js";

const SIDE = 78;
const EDGE = 24;
const GAP = 18;
/** How far the plane reaches, in deviations. */
export const REACH = 3.6;

const bell = (z) => Math.exp(-0.5 * z * z) / Math.sqrt(2 * Math.PI);

/** Paints both, each a square with its two sides. */
export function paintSources(context, width, height, { sides, joints }) {
  const across = (width - GAP) / 2;
  const long = Math.max(40, Math.min(across - EDGE - SIDE, height - EDGE - SIDE - 22));
  const top = 22 + SIDE + Math.max(0, (height - 22 - SIDE - EDGE - long) / 2);
  ["sources", "mixed and made white"].forEach((title, index) => {
    const left = index * (across + GAP) + EDGE + Math.max(0, (across - EDGE - SIDE - long) / 2);
    const box = { left, top, wide: long, tall: long };
    const place = ([x, y]) => [left + ((x + REACH) / (2 * REACH)) * long, top + (1 - (y + REACH) / (2 * REACH)) * long];
    paintPlane(context, box, { joint: joints[index] }, place);
    sides[index].forEach((side, variable) => paintSide(context, box, side, variable));
    paintFrame(context, box, place);
    context.fillStyle = themed("ink");
    context.font = "600 13px system-ui, sans-serif";
    context.fillText(title, left, top - SIDE - 8);
    context.font = "11px system-ui, sans-serif";
  });
}

// The law of a variable on its side, the bell of the same deviation dashed behind it, and how far apart they are.
function paintSide(context, { left, top, wide, tall }, { law, negentropy }, variable) {
  const spot = (z, height) => {
    const [share, rise] = [(z + REACH) / (2 * REACH), (height / 0.42) * (SIDE - 18)];
    return variable === 0 ? [left + share * wide, top - 4 - rise] : [left + wide + 4 + rise, top + (1 - share) * tall];
  };
  const trace = (of) => {
    context.beginPath();
    for (let step = 0; step <= 360; step++) {
      const z = -REACH + (step / 360) * 2 * REACH;
      context.lineTo(...spot(z, of(z)));
    }
  };
  trace(law);
  context.fillStyle = css(0, 0.18);
  context.fill();
  context.strokeStyle = css(0);
  context.lineWidth = 2;
  context.stroke();
  context.strokeStyle = css(4);
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  trace(bell);
  context.stroke();
  context.setLineDash([]);
  context.fillStyle = themed("ink");
  const text = `J = ${negentropy.toFixed(3)}`;
  if (variable === 0) {
    context.textAlign = "right";
    context.fillText(text, left + wide, top - SIDE + 16);
    context.textAlign = "left";
  } else {
    context.fillText(text, left + wide + 18, top + 12);
  }
}

function paintFrame(context, { left, top, wide, tall }, place) {
  context.strokeStyle = themed("line");
  context.lineWidth = 1;
  context.strokeRect(left, top, wide, tall);
  context.fillStyle = themed("faint");
  const written = (value) => String(value).replace("-", "−");
  context.textAlign = "center";
  for (const x of ticks(-REACH, REACH, 6)) context.fillText(written(x), place([x, 0])[0], top + tall + 14);
  context.textAlign = "right";
  for (const y of ticks(-REACH, REACH, 6)) context.fillText(written(y), left - 4, place([0, y])[1] + 4);
  context.textAlign = "left";
}
