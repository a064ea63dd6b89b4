import { parentPort, workerData } from 'node:worker_threads';
import type { Content } from './about.ts';
import { createFonts } from './letters/fonts.ts';
import { drawPdf } from './pdf.ts';

export interface DrawRequest {
  readonly id: number;
  readonly content: Content;
}

export type DrawReply =
  | { readonly id: number; readonly pdf: Uint8Array; readonly missing: readonly string[] }
  | { readonly id: number; readonly error: unknown };

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
