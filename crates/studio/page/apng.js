// Pictures one after the other in one file: an animated PNG, made of the parts of PNG pictures of one size.

import { crc32 } from "./crc.js";

const SIGNATURE = 8;

/**
 * An animation that begins anew when it is over.
 * @param {Uint8Array[]} frames  PNG files of one size and one kind of pixels
 * @param {number} milliseconds  how long each is seen
 * @returns {Blob}
 */
export function animated(frames, milliseconds) {
  const all = frames.map(chunks);
  const [head] = all[0];
  const size = head.data.slice(0, 8);
  const parts = [frames[0].slice(0, SIGNATURE), chunk("IHDR", head.data), chunk("acTL", numbers(frames.length, 0))];
  let count = 0;
  all.forEach((list, index) => {
    // Number, width, height, no offset, so many thousandths of a second, nothing is kept or mixed.
    parts.push(chunk("fcTL", joined(numbers(count++), size, numbers(0, 0), shorts(milliseconds, 1000), new Uint8Array([0, 0]))));
    for (const { name, data } of list) {
      if (name === "IDAT") parts.push(index === 0 ? chunk("IDAT", data) : chunk("fdAT", joined(numbers(count++), data)));
    }
  });
  parts.push(chunk("IEND", new Uint8Array()));
  return new Blob(parts, { type: "image/png" });
}

/** The parts of a PNG file: the name and the bytes of each. */
export function chunks(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = [];
  for (let place = SIGNATURE; place < bytes.length;) {
    const long = view.getUint32(place);
    found.push({ name: String.fromCharCode(...bytes.slice(place + 4, place + 8)), data: bytes.slice(place + 8, place + 8 + long) });
    place += long + 12;
  }
  return found;
}

function chunk(name, data) {
  const called = Uint8Array.from(name, (letter) => letter.charCodeAt(0));
  return joined(numbers(data.length), called, data, numbers(crc32(called, data)));
}

function joined(...lists) {
  const all = new Uint8Array(lists.reduce((sum, list) => sum + list.length, 0));
  let place = 0;
  for (const list of lists) {
    all.set(list, place);
    place += list.length;
  }
  return all;
}

function numbers(...values) {
  const view = new DataView(new ArrayBuffer(4 * values.length));
  values.forEach((value, index) => view.setUint32(4 * index, value));
  return new Uint8Array(view.buffer);
}

function shorts(...values) {
  const view = new DataView(new ArrayBuffer(2 * values.length));
  values.forEach((value, index) => view.setUint16(2 * index, value));
  return new Uint8Array(view.buffer);
}
