// The logo of a point of sale, drawn beside the event loop within a limit of time.

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Picture } from '../brand.ts';

/** How long a thread may take to start: tenths of a second, or seconds on a busy machine. */
const START_MS = 3_500;
/** How long a logo may take then. */
const LOGO_MS = 4_000;

/** What a thread says: that it has started, then the logo; null for one that cannot be drawn. */
export type LogoReply = 'started' | Picture | null;

const startThread = (svg: string): Worker => {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  return new Worker(fileURLToPath(new URL(`./logo-thread${extension}`, import.meta.url)), {
    name: 'logo',
    workerData: svg,
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
};

/** What the thread answers; null if it fails, or takes too long; undefined if it has not started in time. */
const answerOf = (thread: Worker, limitMs: number): Promise<Picture | null | undefined> =>
  new Promise<Picture | null | undefined>((resolve) => {
    const end = () => resolve(null);
    let timer = setTimeout(resolve, START_MS, undefined);
    thread.unref();
    thread.on('message', (reply: LogoReply) => {
      if (reply !== 'started') return resolve(reply);
      clearTimeout(timer);
      timer = setTimeout(end, limitMs);
    });
    thread.on('error', end).on('exit', end);
    thread.once('exit', () => clearTimeout(timer));
  }).finally(() => thread.terminate());

/**
 * Tries out logos, each once. A logo is what an institution has set, so this happens in a thread of its own, which is
 * stopped when it takes long; one that cannot be drawn is null. `limitMs`: from the start of its thread.
 */
export const createLogos = (start: (svg: string) => Worker = startThread, limitMs = LOGO_MS) => {
  const tried = new LRUCache<string, Promise<Picture | null>>({ max: 100, ttl: 60 * 60_000 });
  return (svg: string): Promise<Picture | null> => {
    const known = tried.get(svg);
    if (known) return known;
    const trying = answerOf(start(svg), limitMs).then((picture) => {
      if (picture === undefined) tried.delete(svg);
      return picture ?? null;
    });
    tried.set(svg, trying);
    return trying;
  };
};
