import { parentPort, workerData } from 'node:worker_threads';
import type { Content } from './about.ts';
import { createFonts } from './letters/fonts.ts';
import { drawPdf } from './pdf.ts';

/** A document to draw. */
export interface DrawRequest {
  readonly id: number;
  readonly content: Content;
}

/** Its PDF, or why there is none. */
export type DrawReply =
  | { readonly id: number; readonly pdf: Uint8Array; readonly missing: readonly string[] }
  | { readonly id: number; readonly error: unknown };

/** What the thread is started with. */
export interface ThreadData {
  readonly fontsDirectory: string | undefined;
}

const fonts = createFonts((workerData as ThreadData | null)?.fontsDirectory);

parentPort?.on('message', async ({ id, content }: DrawRequest) => {
  const reply: DrawReply = await drawPdf(content, fonts).then(
    (drawn) => ({ id, ...drawn }),
    (error: unknown) => ({ id, error }),
  );
  parentPort?.postMessage(reply);
});
