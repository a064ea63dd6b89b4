// Fingers, mouse and wheel on a plan. The plain wheel is the page's; with Ctrl, which a pinch on a touchpad sends, it zooms.

/** A press that moves less, in pixels, and is shorter is a tap. */
const STILL = 8;
const SHORT_MS = 500;
const DOUBLE_MS = 320;
const PER_LINE = 16;

const middle = ([a, b]) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
const spread = ([a, b]) => Math.max(1, Math.hypot(a.x - b.x, a.y - b.y));

/** Calls `on`: pan(x, y), zoom(factor, point), tap(point, kind, isDouble), hover(point or undefined). */
export const listen = (element, on) => {
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
