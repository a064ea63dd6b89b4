// The picture of a hall. What it shows and does, the list of seats beside it does for keyboards and screen readers.
import { h } from '../dom.js';
import { t } from '../texts/index.js';
import { painterOf } from './painter.js';
import {
  between,
  isChoosable,
  pan,
  pointAt,
  reveal,
  scalesOf,
  screenOf,
  viewOfArea,
  viewOfSeats,
  whole,
  zoom,
} from './view.js';

/** A press that moves less, in pixels, and is shorter is a tap. */
const STILL = 8;
const SHORT_MS = 500;
const DOUBLE_MS = 320;
const PER_LINE = 16;

const STEP = 1.6;
const MOVE_MS = 220;
/** More pixels than this for each of the layout's are not seen, and slow the drawing. */
const SHARPEST = 2;
const LOW = 220;
/** The plan is drawn anew, and not only moved, once it has not been touched for this time. */
const STILL_MS = 100;

/**
 * A plan of a hall. `on`: choose(seat), inspect(seat or undefined). `stateOf` and `captionOf` are the painter's.
 */
export function planOf(hall, { stateOf, captionOf, on }) {
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
  // Below the picture, so that neither covers a seat.
  const node = h('div', { class: 'plan' }, screen.node, h('div', { class: 'plan-bar' }, here, tools));
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
    const text = [...new Set([area?.name, area?.category?.name])].filter(Boolean).join(' · ');
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
}

const middle = ([a, b]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });

const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * Fingers, mouse and wheel on a plan. The plain wheel is the page's; with Ctrl, which a pinch on a touchpad sends, it
 * zooms. Calls `on`: pan(x, y), zoom(factor, point), tap(point, kind, isDouble), hover(point or undefined).
 */
const listen = (element, on) => {
  const fingers = new Map();
  let press;
  let lastTap = { at: -Infinity, point: { x: 0, y: 0 } };

  /** Where the plan is; read once for each press, because reading it lays out the page. */
  let corner;
  const measure = () => {
    corner = element.getBoundingClientRect();
  };
  const pointOf = ({ clientX, clientY }) => ({ x: clientX - corner.left, y: clientY - corner.top });

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    measure();
    const point = pointOf(event);
    fingers.set(event.pointerId, point);
    press = fingers.size === 1 ? { point, at: event.timeStamp } : undefined;
    element.setPointerCapture(event.pointerId);
  });

  element.addEventListener('pointermove', (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) measure();
    const point = pointOf(event);
    if (!before) {
      if (event.pointerType === 'mouse') on.hover(point);
      return;
    }
    if (press && Math.hypot(point.x - press.point.x, point.y - press.point.y) < STILL) return;
    press = undefined;
    const was = [...fingers.values()];
    fingers.set(event.pointerId, point);
    const now = [...fingers.values()];
    if (now.length === 1) {
      on.pan(point.x - before.x, point.y - before.y);
      return;
    }
    const [from, to] = [middle(was), middle(now)];
    on.pan(to.x - from.x, to.y - from.y);
    on.zoom(spread(now) / spread(was), to);
  });

  const lift = (event) => {
    const point = fingers.get(event.pointerId);
    fingers.delete(event.pointerId);
    const isTap = press && point && event.type === 'pointerup' && event.timeStamp - press.at < SHORT_MS;
    press = undefined;
    if (!isTap) return;
    const isNear = Math.hypot(point.x - lastTap.point.x, point.y - lastTap.point.y) < STILL * 3;
    const isDouble = isNear && event.timeStamp - lastTap.at < DOUBLE_MS;
    lastTap = { at: isDouble ? -Infinity : event.timeStamp, point };
    on.tap(point, event.pointerType === 'mouse' ? 'mouse' : 'touch', isDouble);
  };
  element.addEventListener('pointerup', lift);
  element.addEventListener('pointercancel', lift);
  element.addEventListener('pointerleave', () => on.hover(undefined));

  const onWheel = (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    measure();
    const delta = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * PER_LINE : event.deltaY;
    on.zoom(Math.exp(-Math.max(-60, Math.min(60, delta)) / 150), pointOf(event));
  };
  element.addEventListener('wheel', onWheel, { passive: false });
};

const spread = ([a, b]) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));
