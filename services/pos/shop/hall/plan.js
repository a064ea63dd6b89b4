// The picture of a hall. What it shows and does, the list of seats beside it does for keyboards and screen readers.
import { h } from '../dom.js';
import { t } from '../texts/index.js';
import { listen } from './gestures.js';
import { painterOf } from './painter.js';
import { screenOf } from './screen.js';
import { between, isChoosable, pan, pointAt, reveal, scalesOf, viewOfArea, viewOfSeats, whole, zoom } from './view.js';

const STEP = 1.6;
const MOVE_MS = 220;
/** More pixels than this for each of the layout's are not seen, and slow the drawing. */
const SHARPEST = 2;
const LOW = 220;
/** The plan is drawn anew, and not only moved, once it has not been touched for this time. */
const STILL_MS = 100;

const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * A plan of a hall. `on`: choose(seat), inspect(seat or undefined). `stateOf` and `captionOf` are the painter's.
 */
export const planOf = (hall, { stateOf, captionOf, on }) => {
  const screen = screenOf();
  const here = h('p', { class: 'plan-here', 'aria-hidden': 'true' });
  const button = (name, sign, onclick) =>
    h('button', { type: 'button', 'aria-label': t(name), title: t(name), onclick }, sign);
  const tools = h(
    'div',
    { class: 'plan-tools' },
    button('zoomIn', '+', () => keyed('+')),
    button('zoomOut', '−', () => keyed('-')),
    button('wholeHall', '⤢', () => keyed('0')),
  );
  const node = h('div', { class: 'plan' }, screen.node, here, tools);
  const painter = painterOf(screen.canvas, hall, { stateOf, captionOf, stageName: t('stage') });
  let size = { width: 0, height: 0 };
  let view;
  let marked;
  let focused;
  let frame = 0;
  let move;
  /** When fingers or the wheel last moved the plan. */
  let touched = -Infinity;

  const middle = () => ({ x: size.width / 2, y: size.height / 2 });

  const isWhole = () => view.scale <= scalesOf(hall, size).least * 1.01;

  /** What follows once the plan stands still: while the whole hall is shown, a finger scrolls the page. */
  const settle = () => {
    screen.node.style.touchAction = isWhole() ? 'pan-y' : 'none';
    const area = isWhole() ? undefined : hall.areaAt(pointAt(view, middle()));
    const text = [area?.name, area?.category?.name].filter(Boolean).join(' · ');
    if (here.textContent !== text) here.textContent = text;
  };

  const draw = (now) => {
    frame = 0;
    if (move) {
      const part = Math.min(1, (now - move.start) / MOVE_MS);
      view = between(move.from, move.to, 1 - (1 - part) ** 3);
      if (part === 1) move = undefined;
    }
    const isMoving = move !== undefined || now - touched < STILL_MS;
    if (isMoving) redraw();
    else settle();
    const ratio = Math.min(devicePixelRatio, SHARPEST);
    screen.show(view, size, { isMoving, isWhole: isWhole(), now }, () =>
      painter.draw({ view, size, ratio, marked, focused }),
    );
  };
  const redraw = () => {
    if (view && frame === 0) frame = requestAnimationFrame(draw);
  };

  const set = (next) => {
    move = undefined;
    view = next;
    redraw();
  };

  const drag = (next) => {
    touched = performance.now();
    set(next);
  };

  const moveTo = (next) => {
    const from = view;
    set(next);
    if (prefersStill()) return;
    move = { from, to: next, start: performance.now() };
    view = from;
  };

  /** What + − and 0 do; false for other keys. */
  const keyed = (key) => {
    if (!view) return false;
    const target = move?.to ?? view;
    if (key === '+' || key === '=') moveTo(zoom(hall, size, target, STEP, middle()));
    else if (key === '-') moveTo(zoom(hall, size, target, 1 / STEP, middle()));
    else if (key === '0') moveTo(whole(hall, size));
    else return false;
    return true;
  };

  const tap = (point, kind, isDouble) => {
    const at = pointAt(view, point);
    if (isChoosable(hall, view, kind)) {
      const seat = hall.seatAt(at, hall.pitch * 0.6);
      if (seat) {
        on.inspect(seat);
        on.choose(seat);
      } else if (isDouble) moveTo(zoom(hall, size, view, 2, point));
      return;
    }
    const area = hall.areaAt(at);
    const seat = hall.seatAt(at, hall.pitch * 3);
    if (seat) moveTo(viewOfSeats(hall, size, view, { left: at.x, right: at.x, top: at.y, bottom: at.y }));
    else if (area) moveTo(viewOfArea(hall, size, area));
    else if (isDouble) moveTo(zoom(hall, size, view, 2, point));
  };

  listen(screen.node, {
    pan: (x, y) => drag(pan(hall, size, view, x, y)),
    zoom: (factor, point) => drag(zoom(hall, size, view, factor, point)),
    tap,
    hover(point) {
      const seat = point && hall.seatAt(pointAt(view, point), hall.pitch * 0.6);
      if (seat === marked) return;
      marked = seat;
      screen.node.style.cursor = seat && stateOf(seat) !== 'taken' ? 'pointer' : 'grab';
      on.inspect(seat);
      redraw();
    },
  });

  const measure = () => {
    const { width } = node.getBoundingClientRect();
    if (width === 0) return;
    const { box } = hall;
    const wanted = ((box.bottom - box.top) / (box.right - box.left)) * width;
    const most = Math.max(LOW, innerHeight * 0.65);
    const next = { width, height: Math.round(Math.min(Math.max(wanted, LOW), most)) };
    if (next.width === size.width && next.height === size.height) return;
    const keep = view && !isWhole();
    size = next;
    screen.resize(size, Math.min(devicePixelRatio, SHARPEST));
    set(keep ? pan(hall, size, view, 0, 0) : whole(hall, size));
    // A changed size clears the canvas: draw before it is shown.
    cancelAnimationFrame(frame);
    draw(performance.now());
  };

  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const recolour = () => {
    painter.forgetTheme();
    redraw();
  };
  // The new height is set outside of the observer's own turn, which would report it as a loop.
  const observer = new ResizeObserver(() => requestAnimationFrame(measure));
  observer.observe(node);
  scheme.addEventListener('change', recolour);

  return {
    node,
    redraw,
    keyed,
    /** Shows the keyboard's focus on a seat. */
    focus(seat) {
      focused = seat;
      if (seat && view) moveTo(reveal(hall, size, move?.to ?? view, seat));
      redraw();
    },
    showSeats(box) {
      node.scrollIntoView({ block: 'nearest' });
      if (view) moveTo(viewOfSeats(hall, size, view, box));
    },
    leave() {
      observer.disconnect();
      scheme.removeEventListener('change', recolour);
      cancelAnimationFrame(frame);
    },
  };
};
