// Ellipses of Gaussians.

/**
 * Places along the ellipse of so many standard deviations: the image of a circle under a root of the
 * covariance.
 * @param {number[]} centre
 * @param {number[]} covariance the entries xx, xy, yy
 */
export function ellipseOf([x, y], [xx, xy, yy], deviations) {
  const root = Math.sqrt(Math.max(xx, 0));
  const lower = root ? xy / root : 0;
  const rest = Math.sqrt(Math.max(yy - lower * lower, 0));
  return Array.from({ length: 65 }, (_, turn) => {
    const angle = (turn / 64) * 2 * Math.PI;
    const [u, v] = [deviations * Math.cos(angle), deviations * Math.sin(angle)];
    return [x + root * u, y + lower * u + rest * v];
  });
}
