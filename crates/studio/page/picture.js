// The picture: map, grid, points and what the model draws.

import { colour, css, themed } from "./palette.js";
import { edges, size, ticks, toScreen } from "./plane.js";
import { state, trainingFlags } from "./state.js";
import { outline } from "./tools.js";

/** What the last fit answered, or nothing. */
export const shown = { answer: null, region: null };

let mapCanvas;
let pointCanvas;
let waiting = false;

export function prepare(map, points) {
  mapCanvas = map;
  pointCanvas = points;
  new ResizeObserver(resize).observe(map.parentElement);
  resize();
}

function resize() {
  const ratio = window.devicePixelRatio || 1;
  const box = mapCanvas.parentElement.getBoundingClientRect();
  const before = { ...size };
  [size.width, size.height] = [Math.max(1, box.width), Math.max(1, box.height)];
  // A larger window shows more of the plane, at the same scale.
  if (before.width > 1) {
    state.view.across *= size.width / before.width;
    state.view.up *= size.height / before.height;
  }
  for (const canvas of [mapCanvas, pointCanvas]) {
    canvas.width = Math.round(box.width * ratio);
    canvas.height = Math.round(box.height * ratio);
    canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  paint();
}

/** Paints before the next frame, however often it is asked for. */
export function paint() {
  if (waiting || !mapCanvas) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    paintOn(mapCanvas.getContext("2d"), paintMap);
    paintOn(pointCanvas.getContext("2d"), paintPoints);
  });
}

function paintOn(context, work) {
  context.clearRect(0, 0, size.width, size.height);
  work(context);
}

/** The whole picture on one context, for export. */
export function paintAll(context) {
  context.fillStyle = themed("canvas");
  context.fillRect(0, 0, size.width, size.height);
  paintMap(context);
  paintPoints(context);
}

function paintMap(context) {
  const { answer, region } = shown;
  if (answer && state.layers.map) {
    for (const map of answer.maps) {
      if (map.kind === "classes" || map.kind === "clusters") paintShares(context, map, region);
      if (map.kind === "values") paintValues(context, map, region, answer);
    }
  }
  if (state.layers.grid) paintGrid(context);
}

/** Bytes or floats of a map. */
export function cells(map) {
  const text = atob(map.bytes);
  const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
  return map.kind === "values" ? new Float32Array(bytes.buffer) : bytes;
}

function paintShares(context, map, region) {
  const { width, height, count } = map;
  const values = cells(map);
  const image = new ImageData(width, height);
  const colours = Array.from({ length: count }, (_, index) => colour(index));
  for (let cell = 0; cell < width * height; cell++) {
    let best = -1;
    let most = 0;
    const mixed = [0, 0, 0];
    for (let index = 0; index < count; index++) {
      const share = values[cell * count + index];
      if (share > most) [best, most] = [index, share];
      // Squares make the sure parts clear and the unsure ones pale.
      const weight = (share / 255) ** 2;
      for (let part = 0; part < 3; part++) mixed[part] += weight * colours[index][part];
    }
    const total = values.subarray(cell * count, cell * count + count).reduce((sum, v) => sum + (v / 255) ** 2, 0);
    for (let part = 0; part < 3; part++) image.data[cell * 4 + part] = total ? mixed[part] / total : 128;
    image.data[cell * 4 + 3] = best < 0 ? 0 : 40 + 95 * (most / 255) ** 2;
  }
  stretch(context, image, region);
  strokeBorders(context, values, map, region);
}

function stretch(context, image, region) {
  const small = new OffscreenCanvas(image.width, image.height);
  small.getContext("2d").putImageData(image, 0, 0);
  const [left, top] = toScreen([region.left, region.top]);
  const [right, bottom] = toScreen([region.right, region.bottom]);
  context.imageSmoothingEnabled = true;
  context.drawImage(small, left, top, right - left, bottom - top);
}

// The border of a class runs where its share equals the largest share of the others.
function strokeBorders(context, values, map, region) {
  const { width, height, count } = map;
  const lead = new Float32Array(width * height);
  context.strokeStyle = themed("ink");
  context.globalAlpha = 0.75;
  context.lineWidth = 1.5;
  // With two classes both have the same border.
  for (let index = 0; index < (count === 2 ? 1 : count); index++) {
    for (let cell = 0; cell < lead.length; cell++) {
      let rival = 0;
      for (let other = 0; other < count; other++) if (other !== index) rival = Math.max(rival, values[cell * count + other]);
      // Half a step keeps exact ties on one side, so that a border has no gaps.
      lead[cell] = values[cell * count + index] - rival - 0.5;
    }
    strokeLevel(context, lead, map, 0, region);
  }
  context.globalAlpha = 1;
}

function paintValues(context, map, region, answer) {
  const values = cells(map);
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const isDensity = answer.abilities.includes("log-density") && !answer.abilities.includes("regress");
  // Densities are told by lines at one, two, three … standard deviations below the peak.
  const levels = isDensity ? [0.125, 0.5, 1.125, 2, 3.125, 4.5, 8].map((drop) => high - drop) : ticks(low, high, 10);
  const others = answer.maps.length > 1;
  if (!others) {
    const image = new ImageData(map.width, map.height);
    values.forEach((value, cell) => {
      const share = isDensity ? Math.exp(value - high) : (value - low) / (high - low || 1);
      image.data.set([...colour(isDensity ? 0 : share > 0.5 ? 4 : 0), 20 + 150 * (isDensity ? share : Math.abs(share - 0.5) * 2)], cell * 4);
    });
    stretch(context, image, region);
  }
  context.strokeStyle = themed("ink");
  context.globalAlpha = 0.45;
  context.lineWidth = 1;
  for (const level of levels) strokeLevel(context, values, map, level, region);
  context.globalAlpha = 1;
}

// Marching squares between the middles of the cells.
function strokeLevel(context, values, { width, height }, level, region) {
  const at = (column, row) => toScreen([
    region.left + ((column + 0.5) / width) * (region.right - region.left),
    region.top + ((row + 0.5) / height) * (region.bottom - region.top),
  ]);
  const between = (a, b, va, vb) => {
    const share = (level - va) / (vb - va);
    return at(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]));
  };
  context.beginPath();
  for (let row = 0; row + 1 < height; row++) {
    for (let column = 0; column + 1 < width; column++) {
      const corners = [[column, row], [column + 1, row], [column + 1, row + 1], [column, row + 1]];
      const heights = corners.map(([x, y]) => values[y * width + x]);
      const crossings = [];
      for (let side = 0; side < 4; side++) {
        const next = (side + 1) % 4;
        if (heights[side] < level !== heights[next] < level) crossings.push(between(corners[side], corners[next], heights[side], heights[next]));
      }
      for (let pair = 0; pair + 1 < crossings.length; pair += 2) {
        context.moveTo(...crossings[pair]);
        context.lineTo(...crossings[pair + 1]);
      }
    }
  }
  context.stroke();
}

function paintGrid(context) {
  const { left, right, bottom, top } = edges();
  context.strokeStyle = themed("grid");
  context.fillStyle = themed("faint");
  context.font = "11px system-ui, sans-serif";
  context.lineWidth = 1;
  context.beginPath();
  for (const x of ticks(left, right, 10)) {
    const [sx] = toScreen([x, 0]);
    context.moveTo(sx, 0);
    context.lineTo(sx, size.height);
    context.fillText(String(x), sx + 3, size.height - 4);
  }
  for (const y of ticks(bottom, top, 8)) {
    const [, sy] = toScreen([0, y]);
    context.moveTo(0, sy);
    context.lineTo(size.width, sy);
    context.fillText(String(y), 3, sy - 3);
  }
  context.stroke();
  const [across, up] = state.axes.map((axis) => state.drawing.names[axis]);
  context.fillStyle = themed("ink");
  context.textAlign = "right";
  context.fillText(across, size.width - 8, size.height - 18);
  context.textAlign = "left";
  context.fillText(up, 8, 14);
}

function paintPoints(context) {
  const { answer } = shown;
  if (state.layers.samples) paintSamples(context, answer);
  paintSelection(context);
  if (answer) {
    for (const map of answer.maps) if (map.kind === "curve" && state.layers.map) paintCurve(context, map);
    if (state.layers.geometry) paintGeometry(context, answer);
    if (answer.points.states) paintPaths(context, answer);
  }
  if (state.layers.legend) paintLegend(context);
  paintOutline(context);
}

const sprites = new Map();

// One small picture per look: far faster than a path per point.
function sprite(index, hollow) {
  const key = `${index}/${hollow}/${document.documentElement.dataset.theme}`;
  if (!sprites.has(key)) {
    const ratio = window.devicePixelRatio || 1;
    const canvas = new OffscreenCanvas(12 * ratio, 12 * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.beginPath();
    context.arc(6, 6, 4, 0, 2 * Math.PI);
    context.lineWidth = hollow ? 2 : 1;
    context.strokeStyle = hollow ? css(index) : themed("canvas");
    context.fillStyle = css(index);
    if (!hollow) context.fill();
    context.stroke();
    sprites.set(key, canvas);
  }
  return sprites.get(key);
}

function paintSamples(context, answer) {
  const { points } = state.drawing;
  const training = trainingFlags();
  const said = state.layers.predictions && answer ? answer.points.labels ?? answer.points.clusters : null;
  const [across, up] = state.axes;
  for (let index = 0; index < points.length; index++) {
    const p = points[index];
    const [x, y] = toScreen([p.c[across], p.c[up]]);
    if (x < -8 || y < -8 || x > size.width + 8 || y > size.height + 8) continue;
    const label = said ? said[index] : state.task === "regression" ? 0 : p.k;
    // At whole pixels a sprite is copied, not resampled.
    context.drawImage(sprite(label, training ? !training[index] : false), Math.round(x) - 6, Math.round(y) - 6, 12, 12);
  }
}

// Rings around the points of the selection.
function paintSelection(context) {
  const [across, up] = state.axes;
  context.strokeStyle = themed("accent");
  context.lineWidth = 1.5;
  for (const index of state.selected) {
    const { c } = state.drawing.points[index];
    context.beginPath();
    context.arc(...toScreen([c[across], c[up]]), 8, 0, 2 * Math.PI);
    context.stroke();
  }
}

function paintCurve(context, { x, y }) {
  context.strokeStyle = css(4);
  context.lineWidth = 2.5;
  context.beginPath();
  x.forEach((value, index) => context.lineTo(...toScreen([value, y[index]])));
  context.stroke();
}

function paintGeometry(context, { figures }) {
  for (const { shape } of figures) {
    if (shape.shape === "points") for (const [index, centre] of rows(shape.points).entries()) paintCentre(context, centre, index);
    if (shape.shape === "ellipsoids") paintEllipses(context, shape);
    if (shape.shape === "balls") paintBalls(context, shape);
    if (shape.shape === "axes") paintAxes(context, shape);
    if (shape.shape === "hyperplanes") paintLines(context, shape);
    if (shape.shape === "edges") paintEdges(context, shape);
  }
}

/** A matrix of the library (ndarray) as a list of rows. */
export function rows(matrix) {
  if (Array.isArray(matrix)) return matrix;
  const [count, width] = matrix.dim;
  return Array.from({ length: count }, (_, row) => matrix.data.slice(row * width, (row + 1) * width));
}

const visible = (point) => toScreen([point[state.axes[0]] ?? 0, point[state.axes[1]] ?? 0]);

function paintCentre(context, centre, index) {
  const [x, y] = visible(centre);
  context.lineWidth = 6;
  for (const style of [themed("canvas"), css(index)]) {
    context.strokeStyle = style;
    context.beginPath();
    context.moveTo(x - 8, y - 8);
    context.lineTo(x + 8, y + 8);
    context.moveTo(x + 8, y - 8);
    context.lineTo(x - 8, y + 8);
    context.stroke();
    context.lineWidth = 3;
  }
}

function paintEllipses(context, { centers, covariances }) {
  rows(centers).forEach((centre, index) => {
    const matrix = rows(covariances[index]);
    const [a, b] = state.axes;
    // Along one column there is no ellipse.
    if (!matrix[a] || !matrix[b]) return;
    const [xx, xy, yy] = [matrix[a][a], matrix[a][b], matrix[b][b]];
    context.strokeStyle = css(index);
    for (const deviations of [1, 2]) {
      context.lineWidth = 3 - deviations * 0.75;
      context.beginPath();
      // The ellipse is the image of the unit circle under a root of the covariance.
      const root = Math.sqrt(Math.max(xx, 0));
      const lower = root ? xy / root : 0;
      const rest = Math.sqrt(Math.max(yy - lower * lower, 0));
      for (let turn = 0; turn <= 64; turn++) {
        const angle = (turn / 64) * 2 * Math.PI;
        const [u, v] = [deviations * Math.cos(angle), deviations * Math.sin(angle)];
        context.lineTo(...toScreen([centre[a] + root * u, centre[b] + lower * u + rest * v]));
      }
      context.stroke();
    }
    paintCentre(context, centre, index);
  });
}

function paintAxes(context, { origin, directions }) {
  rows(directions).forEach((direction, index) => {
    const end = origin.map((value, axis) => value + direction[axis]);
    const [from, to] = [visible(origin), visible(end)];
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
    context.strokeStyle = css(index + 4);
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(...from);
    context.lineTo(...to);
    for (const turn of [2.7, -2.7]) {
      context.moveTo(...to);
      context.lineTo(to[0] + 11 * Math.cos(angle + turn), to[1] + 11 * Math.sin(angle + turn));
    }
    context.stroke();
  });
}

function paintLines(context, { normals, offsets }) {
  const { left, right, bottom, top } = edges();
  const [a, b] = state.axes;
  context.strokeStyle = themed("ink");
  context.lineWidth = 2;
  rows(normals).forEach((normal, index) => {
    if (normal.length !== 2) return;
    const [u, v, offset] = [normal[a], normal[b], offsets[index]];
    context.beginPath();
    if (Math.abs(v) > Math.abs(u)) {
      for (const x of [left, right]) context.lineTo(...toScreen([x, -(u * x + offset) / v]));
    } else if (u) {
      for (const y of [bottom, top]) context.lineTo(...toScreen([-(v * y + offset) / u, y]));
    }
    context.stroke();
  });
}

function paintBalls(context, { centers, radius }) {
  const [origin, corner] = [toScreen([0, 0]), toScreen([radius, radius])];
  const [wide, tall] = [Math.abs(corner[0] - origin[0]), Math.abs(corner[1] - origin[1])];
  // One path for all, so that where balls overlap the shade stays the same.
  context.beginPath();
  for (const centre of rows(centers)) {
    const [x, y] = visible(centre);
    context.moveTo(x + wide, y);
    context.ellipse(x, y, wide, tall, 0, 0, 2 * Math.PI);
  }
  context.fillStyle = css(null, 0.08);
  context.fill();
  context.strokeStyle = css(null, 0.25);
  context.lineWidth = 1;
  context.stroke();
}

function paintEdges(context, { points, edges: pairs }) {
  const list = rows(points);
  context.strokeStyle = themed("faint");
  context.lineWidth = 1.5;
  context.beginPath();
  for (const [from, to] of pairs) {
    context.moveTo(...visible(list[from]));
    context.lineTo(...visible(list[to]));
  }
  context.stroke();
}

function paintPaths(context, answer) {
  const { points } = state.drawing;
  const order = strokes(points).flat();
  context.lineWidth = 2;
  let before = null;
  order.forEach((index, position) => {
    const p = points[index];
    const here = visible(p.c);
    if (before && before.stroke === p.s) {
      context.strokeStyle = css(answer.points.states[position]);
      context.beginPath();
      context.moveTo(...before.here);
      context.lineTo(...here);
      context.stroke();
    }
    context.fillStyle = css(answer.points.states[position]);
    context.fillRect(here[0] - 4, here[1] - 4, 8, 8);
    before = { here, stroke: p.s };
  });
}

/** Points of each stroke in their order; points without a stroke make up one of their own. */
export function strokes(points) {
  const groups = new Map();
  points.forEach((p, index) => {
    if (!groups.has(p.s)) groups.set(p.s, []);
    groups.get(p.s).push(index);
  });
  return [...groups.values()];
}

function paintLegend(context) {
  const { classes, points } = state.drawing;
  const used = new Set(points.map((p) => p.k));
  const list = classes.map((name, index) => [name, index]).filter(([, index]) => used.has(index));
  if (state.task === "regression" || list.length < 2) return;
  context.font = "12px system-ui, sans-serif";
  const width = 34 + Math.max(...list.map(([name]) => context.measureText(name).width));
  const x = size.width - width - 10;
  context.fillStyle = themed("panel");
  context.globalAlpha = 0.85;
  context.beginPath();
  context.roundRect(x, 10, width, 8 + 19 * list.length, 6);
  context.fill();
  context.globalAlpha = 1;
  list.forEach(([name, index], row) => {
    context.drawImage(sprite(index, false), x + 8, 17 + 19 * row, 12, 12);
    context.fillStyle = themed("ink");
    context.fillText(name, x + 26, 27 + 19 * row);
  });
}

function paintOutline(context) {
  const drawn = outline();
  if (!drawn) return;
  const { from, to } = drawn;
  context.strokeStyle = themed("accent");
  context.setLineDash([5, 4]);
  context.beginPath();
  if (drawn.tool === "line") {
    context.moveTo(...from);
    context.lineTo(...to);
  } else if (drawn.tool === "select") {
    context.rect(...from, to[0] - from[0], to[1] - from[1]);
  } else {
    context.ellipse((from[0] + to[0]) / 2, (from[1] + to[1]) / 2, Math.abs(to[0] - from[0]) / 2, Math.abs(to[1] - from[1]) / 2, 0, 0, 2 * Math.PI);
  }
  context.stroke();
  context.setLineDash([]);
}
