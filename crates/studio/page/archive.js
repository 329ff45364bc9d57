// Several files in one: a ZIP archive in which everything is stored as it is, for pictures are compressed already.

import { crc32 } from "./crc.js";

// The first of January 1980, the earliest day that the format knows: the same files give the same archive.
const DAY = (1 << 5) | 1;

/**
 * An archive of files.
 * @param {{name: string, bytes: Uint8Array}[]} files
 * @returns {Blob}
 */
export function archive(files) {
  const parts = [];
  const directory = [];
  let place = 0;
  for (const { name, bytes } of files) {
    const called = new TextEncoder().encode(name);
    // Version, flags (names in UTF-8), stored, time, day, checksum, both sizes, length of the name, nothing more.
    const facts = [[20, 2], [0x800, 2], [0, 2], [0, 2], [DAY, 2], [crc32(bytes), 4], [bytes.length, 4], [bytes.length, 4], [called.length, 2], [0, 2]];
    const head = packed([[0x04034b50, 4], ...facts]);
    parts.push(head, called, bytes);
    directory.push(packed([[0x02014b50, 4], [20, 2], ...facts, [0, 2], [0, 2], [0, 2], [0, 4], [place, 4]]), called);
    place += head.length + called.length + bytes.length;
  }
  const long = directory.reduce((sum, part) => sum + part.length, 0);
  const end = packed([[0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [long, 4], [place, 4], [0, 2]]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

// Numbers of two or four bytes, the smallest byte first.
function packed(fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0));
  const view = new DataView(bytes.buffer);
  let place = 0;
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(place, value, true);
    else view.setUint32(place, value, true);
    place += size;
  }
  return bytes;
}
