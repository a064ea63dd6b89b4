import { parentPort } from 'node:worker_threads';
import type { About } from './about.ts';
import { pdfOf } from './pdf.ts';

/** A document to draw. */
export interface DrawRequest {
  readonly id: number;
  readonly about: About;
}

/** Its PDF, or why there is none. */
export type DrawReply =
  | { readonly id: number; readonly pdf: Uint8Array }
  | { readonly id: number; readonly error: unknown };

parentPort?.on('message', async ({ id, about }: DrawRequest) => {
  const reply: DrawReply = await pdfOf(about).then(
    (pdf) => ({ id, pdf }),
    (error: unknown) => ({ id, error }),
  );
  parentPort?.postMessage(reply);
});
