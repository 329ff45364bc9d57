// Words in a picture.

import { themed } from "./palette.js";

/** Words on a patch of the ground, so that they are read over points and lines; their middle is at the place. */
export function paintCaption(context, text, [x, y]) {
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  const wide = context.measureText(text).width + 8;
  context.fillStyle = themed("canvas");
  context.globalAlpha = 0.8;
  context.beginPath();
  context.roundRect(x - wide / 2, y - 13, wide, 17, 4);
  context.fill();
  context.globalAlpha = 1;
  context.fillStyle = themed("ink");
  context.fillText(text, x, y);
  context.textAlign = "left";
}
