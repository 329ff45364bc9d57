// A view into space that one turns.

/** How the views in space are turned: around the upright axis, and over. */
export const turn = { around: 0.6, over: 0.35 };

/**
 * Where places between −½ and ½ lie on a picture of this size, and how deep; `share` of the smaller side is one.
 * @returns {(place: number[]) => number[]}
 */
export function projection(width, height, share = 0.5) {
  const reach = Math.min(width, height) * share;
  const [cosA, sinA, cosO, sinO] = [Math.cos(turn.around), Math.sin(turn.around), Math.cos(turn.over), Math.sin(turn.over)];
  return ([x, y, z]) => {
    const [u, v] = [cosA * x - sinA * y, sinA * x + cosA * y];
    const deep = cosO * v - sinO * z;
    const near = 1.8 / (1.8 + deep);
    return [width / 2 + u * reach * near, height / 2 - (sinO * v + cosO * z) * reach * near, deep];
  };
}

/** Lets one turn what a canvas shows, by dragging and by the arrow keys, while `active` says so. */
export function turns(canvas, active, show) {
  const by = (around, over) => {
    turn.around += around;
    turn.over = Math.max(-1.5, Math.min(1.5, turn.over + over));
    show();
  };
  canvas.addEventListener("pointermove", (event) => {
    if (event.buttons && active()) by(event.movementX * 0.01, event.movementY * 0.01);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
    if (!step || !active()) return;
    event.preventDefault();
    by(...step);
  });
}
