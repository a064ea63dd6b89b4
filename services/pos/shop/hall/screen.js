// The two canvases of a plan: one has the view that was drawn last, the one below it the whole hall. What moves is not
// drawn: the browser shifts and stretches the two, which keeps 60 frames a second on a slow phone.
import { h } from '../dom.js';

/** A drawing serves while it shows this part of the view's width and height, and is stretched no more than this. */
const SHOWN = 0.4;
const STRETCHED = 2.5;
/** No more than one drawing in this time while the plan moves. */
const PAUSE_MS = 250;

/** Where a drawing of one view is in another one. */
export const placeIn = (drawn, view) => {
  const grown = view.scale / drawn.scale;
  return { grown, x: view.left - drawn.left * grown, y: view.top - drawn.top * grown };
};

/** Whether a drawing of one view shows enough of another one. */
export const serves = (drawn, view, { width, height }) => {
  const { grown, x, y } = placeIn(drawn, view);
  const shown = (at, length) => (Math.min(at + length * grown, length) - Math.max(at, 0)) / length;
  const isSharp = grown <= STRETCHED && grown >= 1 / STRETCHED;
  return isSharp && shown(x, width) >= SHOWN && shown(y, height) >= SHOWN;
};

const put = ({ canvas, drawn }, view) => {
  const { grown, x, y } = placeIn(drawn, view);
  canvas.style.transform = grown === 1 && x === 0 && y === 0 ? 'none' : `translate(${x}px, ${y}px) scale(${grown})`;
};

/** The canvases of a plan. */
export const screenOf = () => {
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
};
