// What part of the hall a plan shows, a point of the hall being at `x * scale + left`, `y * scale + top` in pixels, and
// the canvases on which it moves.
import { h } from '../dom.js';

/** The least distance between seats, in pixels, at which a finger or a mouse may choose one. */
const CHOOSABLE = { touch: 24, mouse: 16 };
/** The distance at which a plan shows seats that it is asked to show. */
const COMFORTABLE = 34;
const LARGEST = 64;

/** The smallest and the largest scale of a hall. */
export function scalesOf({ box, pitch }, size) {
  const least = Math.min(fitting(box, size), LARGEST / pitch);
  return { least, most: Math.max(LARGEST / pitch, least) };
}

const fitting = ({ left, top, right, bottom }, { width, height }) =>
  Math.min(width / Math.max(right - left, 1e-6), height / Math.max(bottom - top, 1e-6));

/** The whole hall. */
export function whole(hall, size) {
  return clamp(hall, size, viewOf(hall.box, size, 0));
}

/** Keeps the hall within the plan: in the middle where it is smaller, without a margin where it is larger. */
const clamp = (hall, size, { scale, left, top }) => {
  const { least, most } = scalesOf(hall, size);
  const bounded = clampTo(scale, least, most);
  const axis = (at, length, from, to) => {
    const [start, extent] = [from * bounded, (to - from) * bounded];
    if (extent <= length) return (length - extent) / 2 - start;
    return clampTo(at, length - extent - start, -start);
  };
  const { box } = hall;
  return {
    scale: bounded,
    left: axis(left, size.width, box.left, box.right),
    top: axis(top, size.height, box.top, box.bottom),
  };
};

const clampTo = (value, least, most) => Math.min(Math.max(value, least), Math.max(least, most));

/** The view of a box in the middle of a plan of this size. */
const viewOf = (box, { width, height }, scale) => ({
  scale,
  left: width / 2 - ((box.left + box.right) / 2) * scale,
  top: height / 2 - ((box.top + box.bottom) / 2) * scale,
});

/** Zooms by a factor; the point of the plan stays where it is. */
export function zoom(hall, size, { scale, left, top }, factor, point) {
  const { least, most } = scalesOf(hall, size);
  const next = clampTo(scale * factor, least, most);
  const grow = next / scale;
  return clamp(hall, size, {
    scale: next,
    left: point.x - (point.x - left) * grow,
    top: point.y - (point.y - top) * grow,
  });
}

export function pan(hall, size, { scale, left, top }, x, y) {
  return clamp(hall, size, { scale, left: left + x, top: top + y });
}

/** The point of the hall below a point of the plan. */
export function pointAt({ scale, left, top }, { x, y }) {
  return { x: (x - left) / scale, y: (y - top) / scale };
}

export function isChoosable({ pitch }, { scale }, kind) {
  return pitch * scale >= CHOOSABLE[kind] - 0.01;
}

/** An area as large as the plan allows, and large enough to choose its seats. */
export function viewOfArea(hall, size, area) {
  return clamp(hall, size, viewOf(area.box, size, Math.max(fitting(area.box, size), COMFORTABLE / hall.pitch)));
}

/** The view around seats, large enough to choose them. */
export function viewOfSeats(hall, size, view, box) {
  return clamp(hall, size, viewOf(box, size, Math.max(view.scale, COMFORTABLE / hall.pitch)));
}

/** The same view moved, and enlarged if seats are small, so that a seat is visible; unchanged if it is. */
export function reveal(hall, size, view, seat) {
  if (!isChoosable(hall, view, 'mouse'))
    return viewOfSeats(hall, size, view, { left: seat.x, right: seat.x, top: seat.y, bottom: seat.y });
  const margin = Math.min(hall.pitch * view.scale * 1.5, size.width / 4, size.height / 4);
  const [x, y] = [seat.x * view.scale + view.left, seat.y * view.scale + view.top];
  return pan(
    hall,
    size,
    view,
    clampTo(x, margin, size.width - margin) - x,
    clampTo(y, margin, size.height - margin) - y,
  );
}

/** The view between two others; `part` from 0 to 1. */
export function between(from, to, part) {
  return {
    scale: from.scale + (to.scale - from.scale) * part,
    left: from.left + (to.left - from.left) * part,
    top: from.top + (to.top - from.top) * part,
  };
}

/** A drawing serves while it shows this part of the view's width and height, and is stretched no more than this. */
const SHOWN = 0.4;
const STRETCHED = 2.5;
/** No more than one drawing in this time while the plan moves. */
const PAUSE_MS = 250;

/**
 * The two canvases of a plan: one has the view that was drawn last, the one below it the whole hall. What moves is not
 * drawn: the browser shifts and stretches the two, which keeps 60 frames a second on a slow phone.
 */
export function screenOf() {
  const layer = (name) => ({ canvas: h('canvas', { class: `plan-canvas ${name}` }), drawn: undefined });
  const [whole, near] = [layer('plan-whole'), layer('plan-near')];
  const node = h('div', { class: 'plan-screen', 'aria-hidden': 'true' }, whole.canvas, near.canvas);
  let drawnAt = -Infinity;

  return {
    node,
    canvas: near.canvas,
    resize({ width, height }, ratio) {
      node.style.height = `${height}px`;
      for (const one of [whole, near]) {
        one.canvas.width = Math.round(width * ratio);
        one.canvas.height = Math.round(height * ratio);
        one.drawn = undefined;
      }
    },
    /** Shows the view; calls `draw` unless the plan moves and what is there serves. `isWhole`: of the whole hall. */
    show(view, size, { isMoving, isWhole, now }, draw) {
      const isEnough = near.drawn && (serves(near.drawn, view, size) || now - drawnAt < PAUSE_MS);
      if (!isMoving || !isEnough) {
        draw();
        drawnAt = now;
        near.drawn = view;
        if (isWhole) {
          whole.canvas.getContext('2d', { alpha: false }).drawImage(near.canvas, 0, 0);
          whole.drawn = view;
        }
      }
      put(near, view);
      if (whole.drawn) put(whole, view);
    },
  };
}

/** Whether a drawing of one view shows enough of another one. */
const serves = (drawn, view, { width, height }) => {
  const { grown, x, y } = placeIn(drawn, view);
  const shown = (at, length) => (Math.min(at + length * grown, length) - Math.max(at, 0)) / length;
  const isSharp = grown <= STRETCHED && grown >= 1 / STRETCHED;
  return isSharp && shown(x, width) >= SHOWN && shown(y, height) >= SHOWN;
};

/** Where a drawing of one view is in another one. */
const placeIn = (drawn, view) => {
  const grown = view.scale / drawn.scale;
  return { grown, x: view.left - drawn.left * grown, y: view.top - drawn.top * grown };
};

const put = ({ canvas, drawn }, view) => {
  const { grown, x, y } = placeIn(drawn, view);
  canvas.style.transform = grown === 1 && x === 0 && y === 0 ? 'none' : `translate(${x}px, ${y}px) scale(${grown})`;
};
