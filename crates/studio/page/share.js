// Sessions in links and files; pictures as PNG and SVG.

import { paintAll } from "./picture.js";
import { size } from "./plane.js";

/** The session as text for a link, compressed. */
export async function pack(session) {
  const stream = new Blob([JSON.stringify(session)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The session of a link; fails with a sentence where it is damaged. */
export async function unpack(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  } catch {
    throw new Error("the link is damaged or was cut short; copy it once more");
  }
}

/** Hands a file to the user. */
export function save(name, content, kind = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type: kind });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** The picture as a PNG of twice the size. */
export async function png() {
  const canvas = new OffscreenCanvas(size.width * 2, size.height * 2);
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  paintAll(context);
  return canvas.convertToBlob({ type: "image/png" });
}

/** The picture as SVG: lines, circles and text stay what they are. */
export async function svg() {
  const recorder = new Recorder();
  paintAll(recorder);
  return svgOf(await recorder.text(), size.width, size.height);
}

/** Hands a painting of this size over as a file, "svg" or "png" of twice the size. */
export async function savePainting(name, kind, [width, height], paintOn) {
  if (kind === "svg") {
    const recorder = new Recorder();
    paintOn(recorder, [width, height]);
    return save(`${name}.svg`, svgOf(await recorder.text(), width, height), "image/svg+xml");
  }
  const canvas = new OffscreenCanvas(2 * width, 2 * height);
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  context.font = "11px system-ui, sans-serif";
  paintOn(context, [width, height]);
  return save(`${name}.png`, await canvas.convertToBlob({ type: "image/png" }));
}

/** A file around its parts. */
export const svgOf = (parts, width, height) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${near(width)} ${near(height)}" width="${near(width)}" height="${near(height)}">${parts}</svg>`;

/** What the painter needs of a canvas, written down instead of painted. */
export class Recorder {
  parts = [];
  pending = [];
  path = "";
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  textAlign = "left";
  font = "";
  dash = "";

  /** Everything that was drawn, as text. */
  async text() {
    await Promise.all(this.pending);
    return this.parts.join("");
  }

  beginPath() { this.path = ""; }
  moveTo(x, y) { this.path += `M${near(x)} ${near(y)}`; }
  lineTo(x, y) { this.path += `${this.path ? "L" : "M"}${near(x)} ${near(y)}`; }
  arc(x, y, r) { this.ellipse(x, y, r, r); }
  ellipse(x, y, rx, ry) {
    const [a, b] = [near(rx), near(ry)];
    this.path += `M${near(x - rx)} ${near(y)}a${a} ${b} 0 1 0 ${near(2 * rx)} 0a${a} ${b} 0 1 0 ${near(-2 * rx)} 0`;
  }
  rect(x, y, w, h) { this.path += `M${near(x)} ${near(y)}h${near(w)}v${near(h)}h${near(-w)}z`; }
  roundRect(x, y, w, h) { this.rect(x, y, w, h); }
  setLineDash(list) { this.dash = list.length ? ` stroke-dasharray="${list.join(" ")}"` : ""; }
  stroke() { this.parts.push(`<path d="${this.path}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}" opacity="${this.globalAlpha}"${this.dash}/>`); }
  fill() { this.parts.push(`<path d="${this.path}" fill="${this.fillStyle}" opacity="${this.globalAlpha}"/>`); }
  fillRect(x, y, w, h) { this.parts.push(`<rect x="${near(x)}" y="${near(y)}" width="${near(w)}" height="${near(h)}" fill="${this.fillStyle}"/>`); }
  measureText(text) { return { width: text.length * 6.5 }; }

  fillText(text, x, y) {
    const anchor = { right: "end", center: "middle" }[this.textAlign] ?? "start";
    const plain = text.replace(/[&<]/g, (c) => ({ "&": "&amp;", "<": "&lt;" })[c]);
    this.parts.push(`<text x="${near(x)}" y="${near(y)}" fill="${this.fillStyle}" font-size="11" font-family="sans-serif" text-anchor="${anchor}">${plain}</text>`);
  }

  drawImage(image, x, y, w, h) {
    const place = this.parts.push("") - 1;
    this.pending.push(address(image).then((href) => {
      this.parts[place] = `<image x="${near(x)}" y="${near(y)}" width="${near(w)}" height="${near(h)}" preserveAspectRatio="none" href="${href}"/>`;
    }));
  }
}

const near = (value) => Number(value.toFixed(1));
const addresses = new WeakMap();

// A picture is turned into text once, however often it is drawn.
function address(canvas) {
  if (!addresses.has(canvas)) {
    addresses.set(canvas, canvas.convertToBlob({ type: "image/png" }).then((blob) => new Promise((resolve) => {
      const reader = new FileReader();
      reader.onload = () => resolve(reader.result);
      reader.readAsDataURL(blob);
    })));
  }
  return addresses.get(canvas);
}
