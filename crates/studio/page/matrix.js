// Matrices as the library writes them.

/** A matrix of the library (ndarray) as a list of rows. */
export function rows(matrix) {
  if (Array.isArray(matrix)) return matrix;
  const [count, width] = matrix.dim;
  return Array.from({ length: count }, (_, row) => matrix.data.slice(row * width, (row + 1) * width));
}
