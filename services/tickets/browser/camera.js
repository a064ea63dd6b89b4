// Reads barcodes with the camera of the phone: about ten pictures a second, decoded by a worker.
import { startWorker } from './worker.js';

/** From one picture to the next, if decoding is as fast. Milliseconds. */
const EVERY_MS = 100;
/** The longest side of a picture that is decoded: a barcode needs about three pixels per module. */
const LONGEST_PX = 960;
/** A code that was not seen for so long has left the picture. Milliseconds. */
const GONE_MS = 3_000;

const CONSTRAINTS = {
  audio: false,
  video: { facingMode: { ideal: 'environment' }, width: { ideal: 1280 }, height: { ideal: 720 } },
};

/** What a refusal of the browser means for the steward. */
const STATES = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'taken',
  AbortError: 'taken',
};

/** Reports each code once as long as it stays in the picture: whether this sight of it is a new one. */
export function createSights({ goneMs = GONE_MS } = {}) {
  const seen = new Map();
  return (text, at) => {
    for (const [known, lastAt] of seen) if (at - lastAt >= goneMs) seen.delete(known);
    const isNew = !seen.has(text);
    seen.set(text, at);
    return isNew;
  };
}

/** The size of the picture to decode. */
export function pictureSize({ videoWidth, videoHeight }) {
  const scale = Math.min(1, LONGEST_PX / Math.max(videoWidth, videoHeight));
  return { width: Math.round(videoWidth * scale), height: Math.round(videoHeight * scale) };
}

/**
 * Shows the camera in `video` and calls `onText(text)` for each barcode, once until it has left the picture.
 * `onState(state, {hasTorch, isLit})` says how it goes: `starting`; `running`; `paused` while the page is hidden;
 * `denied` (the browser or the steward does not allow it), `missing` (there is no camera), `taken` (another application
 * has it), `failed` (the decoder does not start). After the last four there are the hand scanner and the keyboard, and
 * `retry()`. Resolves, with what controls it, once the camera runs or does not.
 */
export async function startCamera(video, onText, { onState = () => {} } = {}) {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const isNew = createSights();
  const worker = startWorker('./camera-worker.js');
  let stream;
  let timer;
  let state;
  let isLit = false;
  let isStopped = false;
  let takenAt = 0;
  /** Counts the starts: an answer of the browser to an earlier one is too late. */
  let start = 0;

  const track = () => stream?.getVideoTracks()[0];
  const hasTorch = () => Boolean(track()?.getCapabilities?.().torch);
  const tell = (next = state) => {
    state = next;
    onState(state, { hasTorch: hasTorch(), isLit: isLit && hasTorch() });
  };

  const release = () => {
    start += 1;
    clearTimeout(timer);
    for (const one of stream?.getTracks() ?? []) one.stop();
    stream = undefined;
    video.srcObject = null;
  };

  const light = async (on) => {
    isLit = on;
    if (hasTorch()) await track().applyConstraints({ advanced: [{ torch: on }] });
  };

  const takePicture = () => {
    takenAt = performance.now();
    const { width, height } = pictureSize(video);
    if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA || width === 0) return schedule();
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    context.drawImage(video, 0, 0, width, height);
    const image = context.getImageData(0, 0, width, height);
    worker.postMessage(image, [image.data.buffer]);
  };

  const schedule = () => {
    clearTimeout(timer);
    if (stream) timer = setTimeout(takePicture, Math.max(0, takenAt + EVERY_MS - performance.now()));
  };

  const open = async () => {
    release();
    const own = start;
    if (document.hidden) return tell('paused');
    tell('starting');
    try {
      // Absent on pages without TLS.
      if (!navigator.mediaDevices) throw new DOMException('no camera', 'NotFoundError');
      const opened = await navigator.mediaDevices.getUserMedia(CONSTRAINTS);
      if (own !== start) {
        for (const one of opened.getTracks()) one.stop();
        return;
      }
      stream = opened;
      // A call, or another application, takes the camera away.
      track().addEventListener('ended', () => {
        if (own !== start) return;
        release();
        tell('taken');
      });
      Object.assign(video, { srcObject: stream, muted: true, playsInline: true });
      await video.play();
      if (isLit) await light(true).catch(() => {});
      tell('running');
      schedule();
    } catch (error) {
      if (own !== start) return;
      release();
      tell(STATES[error.name] ?? 'failed');
    }
  };

  worker.addEventListener('message', ({ data: { failed, text, ready } }) => {
    if (failed !== undefined) {
      release();
      return tell('failed');
    }
    if (ready) return;
    if (!stream) return;
    if (text !== undefined && isNew(text, performance.now())) onText(text);
    schedule();
  });
  worker.addEventListener('error', () => {
    release();
    tell('failed');
  });

  const onVisibility = () => {
    if (!document.hidden) return open();
    release();
    tell('paused');
  };
  const onDevices = () => {
    if (['missing', 'taken'].includes(state)) void open();
  };
  document.addEventListener('visibilitychange', onVisibility);
  navigator.mediaDevices?.addEventListener('devicechange', onDevices);
  await open();

  return {
    /** Whether the camera has a torch. */
    get hasTorch() {
      return hasTorch();
    },
    /** Tries again, after the steward has allowed the camera or closed the other application. */
    retry: open,
    /** Switches the torch; without one nothing happens. */
    async torch(on) {
      await light(on);
      tell();
    },
    stop() {
      if (isStopped) return;
      isStopped = true;
      release();
      worker.terminate();
      document.removeEventListener('visibilitychange', onVisibility);
      navigator.mediaDevices?.removeEventListener('devicechange', onDevices);
    },
  };
}

/** Keeps the screen on while the page is shown; returns the end of it. Browsers without wake locks do without. */
export function keepAwake() {
  let lock;
  let isEnded = false;
  const ask = async () => {
    if (document.hidden || isEnded) return;
    lock = await navigator.wakeLock?.request('screen').catch(() => undefined);
    if (isEnded) await lock?.release();
  };
  // The browser takes the lock back whenever the page is hidden.
  document.addEventListener('visibilitychange', ask);
  void ask();
  return async () => {
    isEnded = true;
    document.removeEventListener('visibilitychange', ask);
    await lock?.release();
  };
}
