// Lines of equal height through a grid of numbers.

/**
 * Marching squares between the middles of the cells. Gives pieces of the line, four numbers each
 * (from x, from y, to x, to y), as shares of the width and height of the grid.
 * @returns {Float32Array}
 */
export function contour(values, width, height, level) {
  const pieces = [];
  const crossing = new Float64Array(8);
  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      const at = row * width + column;
      const [a, b, c, d] = [values[at], values[at + 1], values[at + width + 1], values[at + width]];
      // What is not a number, or not finite, has no height: minus itself it is not zero.
      const finite = a - a + (b - b) + (c - c) + (d - d) === 0;
      const sides = (a < level) + (b < level) + (c < level) + (d < level);
      if (sides === 0 || sides === 4 || !finite) continue;
      let found = 0;
      const cross = (from, to, x, y, dx, dy) => {
        if (from < level === to < level) return;
        const share = (level - from) / (to - from);
        crossing[found++] = (x + share * dx + 0.5) / width;
        crossing[found++] = (y + share * dy + 0.5) / height;
      };
      cross(a, b, column, row, 1, 0);
      cross(b, c, column + 1, row, 0, 1);
      cross(c, d, column + 1, row + 1, -1, 0);
      cross(d, a, column, row + 1, 0, -1);
      for (let pair = 0; pair + 3 < found; pair += 4) pieces.push(crossing[pair], crossing[pair + 1], crossing[pair + 2], crossing[pair + 3]);
    }
  }
  return Float32Array.from(pieces);
}
