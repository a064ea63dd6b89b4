// Hand scanners type what they read, like a very fast keyboard, and end it with Enter or Tab.
import { readings } from './layouts.js';

/** Nobody types as fast as this from key to key, on average; a scanner does. Milliseconds. */
const FAST_MS = 60;
/** A longer pause ends a sequence. Milliseconds. */
const PAUSE_MS = 300;
/** A shorter sequence is no barcode. */
const SHORTEST = 8;
/** From this length on it is a barcode also without an end. */
const LONG = 60;
const LONGEST = 2_048;

const MODIFIERS = ['Shift', 'Alt', 'AltGraph', 'Control', 'Meta', 'CapsLock'];

/**
 * Calls `onText(text, candidates)` for what a hand scanner types anywhere on the page: `candidates` is every text that
 * it can mean in the layouts of `layouts.js`, the likeliest first, which is `text`; the signature shows which it is.
 * A field that has the focus gets back what it had. Returns the end of listening.
 */
export function listen(onText, { target = document } = {}) {
  let strokes = [];
  let lastAt = Number.NEGATIVE_INFINITY;
  let timer;
  /** The field that the sequence began in, with its value before. */
  let field;

  const forget = () => {
    clearTimeout(timer);
    strokes = [];
    field = undefined;
  };

  const isScan = (shortest) => strokes.length >= shortest && lastAt - strokes[0].at <= FAST_MS * (strokes.length - 1);

  const finish = () => {
    const [scanned, into] = [strokes, field];
    forget();
    if (into) into.element.value = into.value;
    const candidates = readings(scanned);
    if (candidates.length > 0) onText(candidates[0], candidates);
  };

  const onKeydown = (event) => {
    const { code, key, shiftKey, ctrlKey, altKey, metaKey, timeStamp, repeat } = event;
    if (MODIFIERS.includes(key) || repeat) return;
    const pause = timeStamp - lastAt;
    if (pause > PAUSE_MS) forget();
    if (isEnd(event)) {
      if (!isScan(SHORTEST)) return forget();
      event.preventDefault();
      event.stopPropagation();
      return finish();
    }
    lastAt = timeStamp;
    const altGraph = event.getModifierState('AltGraph') || (ctrlKey && altKey);
    // Shortcuts of the browser.
    if ((ctrlKey && !altGraph) || metaKey || strokes.length >= LONGEST) return forget();
    if (strokes.length === 0 && isEditable(event.target)) field = { element: event.target, value: event.target.value };
    strokes.push({ code, key, shift: shiftKey, altGraph, at: timeStamp });
    // A space or a slash would press a button, or open the search.
    if (pause <= FAST_MS && !field) event.preventDefault();
    clearTimeout(timer);
    timer = setTimeout(() => (isScan(LONG) ? finish() : forget()), PAUSE_MS);
  };

  target.addEventListener('keydown', onKeydown, { capture: true });
  return () => {
    forget();
    target.removeEventListener('keydown', onKeydown, { capture: true });
  };
}

/** CR and LF, also as control characters, and Tab. */
const isEnd = ({ code, key, ctrlKey }) =>
  ['Enter', 'NumpadEnter', 'Tab'].includes(code) || key === 'Enter' || (ctrlKey && ['KeyJ', 'KeyM'].includes(code));

const isEditable = (target) => ['INPUT', 'TEXTAREA'].includes(target?.tagName);
