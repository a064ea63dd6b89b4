import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Fault } from '@boxoffice/envelope';
import { LRUCache } from 'lru-cache';
import type { About } from './about.ts';
import { pdfOf } from './pdf.ts';
import type { DrawReply, DrawRequest } from './pdf-thread.ts';

/** Draws PDFs beside the event loop. */
export interface Drawing {
  /**
   * Resolves to the document as PDF.
   * @throws {Fault} `service_unavailable` if {@link MOST_WAITING} documents wait already
   */
  draw(about: About): Promise<Buffer>;
  close(): Promise<void>;
}

interface Waiting {
  readonly about: About;
  resolve(pdf: Buffer | Promise<Buffer>): void;
  reject(error: unknown): void;
}

/** Documents that wait at most: those of about five seconds. */
export const MOST_WAITING = 50;

const startThread = (): Worker => {
  const extension = import.meta.url.slice(import.meta.url.lastIndexOf('.'));
  const worker = new Worker(fileURLToPath(new URL(`./pdf-thread${extension}`, import.meta.url)), {
    name: 'pdf',
    resourceLimits: { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 },
  });
  worker.unref();
  return worker;
};

/**
 * The drawing of an instance. A document takes a tenth of a second, in which a door must be able to control tickets,
 * so a worker thread draws it. It starts with the first document: most instances never make one. What waited in a
 * thread that has died is drawn by the calling thread, and the next document starts another.
 */
export const createDrawing = (start: () => Worker = startThread): Drawing => {
  let worker: Worker | undefined;
  let last = 0;
  const waiting = new Map<number, Waiting>();
  // By what they show: a reader who asks again within minutes, also for a 304, costs nothing.
  const made = new LRUCache<string, Promise<Buffer>>({ max: 100, ttl: 5 * 60_000 });

  const onReply = (reply: DrawReply): void => {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('pdf' in reply) one?.resolve(Buffer.from(reply.pdf.buffer, reply.pdf.byteOffset, reply.pdf.byteLength));
    else one?.reject(reply.error);
  };
  const open = (): Worker => {
    const thread = start();
    const drawHere = (): void => {
      if (worker !== thread) return;
      worker = undefined;
      const left = [...waiting.values()];
      waiting.clear();
      for (const { about, resolve } of left) resolve(pdfOf(about));
    };
    return thread.on('message', onReply).on('error', drawHere).on('exit', drawHere);
  };

  const drawn = (about: About): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= MOST_WAITING) {
        throw new Fault('service_unavailable', 'Too many documents are being drawn at the moment.', {
          'Retry-After': '5',
        });
      }
      last += 1;
      waiting.set(last, { about, resolve, reject });
      worker ??= open();
      worker.postMessage({ id: last, about } satisfies DrawRequest);
    });

  return {
    draw(about) {
      const shown = JSON.stringify(about);
      const known = made.get(shown);
      if (known) return known;
      const pdf = drawn(about);
      made.set(shown, pdf);
      pdf.catch(() => made.delete(shown));
      return pdf;
    },
    async close() {
      const ended = worker;
      worker = undefined;
      await ended?.terminate();
    },
  };
};
