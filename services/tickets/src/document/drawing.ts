import type { Worker } from 'node:worker_threads';
import { Fault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import { LRUCache } from 'lru-cache';
import type { Content } from './about.ts';
import { createFonts } from './letters/fonts.ts';
import { createLogos } from './logo.ts';
import { type Drawn, drawPdf } from './pdf.ts';
import type { DrawReply, DrawRequest, ThreadData } from './pdf-thread.ts';
import { startThread } from './thread.ts';

interface Waiting {
  readonly content: Content;
  resolve(drawn: Drawn | Promise<Drawn>): void;
  reject(error: unknown): void;
}

/** They take about five seconds; a document is not refused for its own pages. */
export const MOST_WAITING = 50;

export interface DrawingOptions {
  /** `TICKET_FONTS_DIR`. */
  readonly fontsDirectory?: string;
  readonly logger?: Pick<Logger, 'warn'>;
}

/**
 * A page takes a tenth of a second at most, in which a door must be able to control tickets, so a worker thread draws
 * it, started with the first document. What waited in a thread that has died is drawn by the calling thread, and the
 * next document starts another.
 */
export function createDrawing(
  { fontsDirectory, logger }: DrawingOptions = {},
  start: () => Worker = () => startThread('pdf', { fontsDirectory } satisfies ThreadData),
) {
  let worker: Worker | undefined;
  let last = 0;
  const waiting = new Map<number, Waiting>();
  // Cached by what they show: a reader who asks again within minutes, also for a 304, costs nothing.
  const made = new LRUCache<string, Promise<Drawn>>({ max: 100, ttl: 5 * 60_000 });

  const fonts = createFonts(fontsDirectory);
  const logoOf = createLogos();
  const reported = new Set<string>();

  /** Warns once per script: a season of its tickets is one missing font. */
  const report = ({ missing }: Drawn): void => {
    for (const script of missing) {
      const [name = ''] = script.split(' (');
      if (reported.has(name)) continue;
      reported.add(name);
      logger?.warn('no font has letters of a ticket, boxes in its PDF; install one in TICKET_FONTS_DIR', {
        reason: `${script}: not in the product's fonts or those below ${fontsDirectory ?? 'no folder'}`,
      });
    }
  };

  const onReply = (reply: DrawReply): void => {
    const one = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('error' in reply) {
      one?.reject(reply.error);
      return;
    }
    const { pdf, missing } = reply;
    one?.resolve({ pdf: Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength), missing });
  };
  const open = (): Worker => {
    const thread = start();
    const drawHere = (): void => {
      if (worker !== thread) return;
      worker = undefined;
      const left = [...waiting.values()];
      waiting.clear();
      for (const { content, resolve } of left) resolve(drawPdf(content, fonts));
    };
    return thread.on('message', onReply).on('error', drawHere).on('exit', drawHere);
  };

  const pagesWaiting = (): number => [...waiting.values()].reduce((sum, { content }) => sum + content.pages.length, 0);

  const queueDrawing = (content: Content): Promise<Drawn> =>
    new Promise((resolve, reject) => {
      if (pagesWaiting() >= MOST_WAITING) {
        throw new Fault('service_unavailable', 'Too many documents are being drawn at the moment.', {
          'Retry-After': '5',
        });
      }
      last += 1;
      waiting.set(last, { content, resolve, reject });
      worker ??= open();
      worker.postMessage({ id: last, content } satisfies DrawRequest);
    });

  return {
    /** Draws a PDF. @throws {Fault} `service_unavailable` if {@link MOST_WAITING} pages wait already */
    draw(content: Content): Promise<Drawn> {
      const shown = JSON.stringify(content);
      const known = made.get(shown);
      if (known) return known;
      const making = queueDrawing(content);
      made.set(shown, making);
      making.then(report, () => made.delete(shown));
      return making;
    },
    /** An SVG with its proportions; null if it cannot be drawn. */
    logoOf,
    async close(): Promise<void> {
      const ended = worker;
      worker = undefined;
      await ended?.terminate();
    },
  };
}

export type Drawing = ReturnType<typeof createDrawing>;
