import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { About } from './about.ts';
import { layoutOf } from './layout.ts';
import { sfntOf } from './sfnt.ts';

const { resolve } = createRequire(import.meta.url);

/** One file has Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters. */
const fontFile = async (weight: 400 | 700): Promise<Buffer> =>
  sfntOf(await readFile(resolve(`@fontsource/dejavu-sans/files/dejavu-sans-latin-${weight}-normal.woff`)));

const load = async () => {
  const [{ default: PdfDocument }, regular, bold] = await Promise.all([import('pdfkit'), fontFile(400), fontFile(700)]);
  return { PdfDocument, regular, bold };
};

let loading: ReturnType<typeof load> | undefined;

/** Loaded with the first document: most instances of the service never make one. */
const parts = (): ReturnType<typeof load> => {
  loading ??= load().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
};

/**
 * The document of a ticket as PDF, with embedded fonts. Without the instant of its making, so that the same ticket
 * gives the same bytes.
 */
export const pdfOf = async (about: About): Promise<Buffer> => {
  const { PdfDocument, regular, bold } = await parts();
  const { width, height, texts, code } = layoutOf(about);
  const pdf = new PdfDocument({
    size: [width, height],
    margin: 0,
    lang: about.language,
    info: { Title: about.title, Creator: 'boxoffice', Producer: 'boxoffice', CreationDate: new Date(0) },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<Buffer>((done, failed) => {
    pdf.once('end', () => done(Buffer.concat(chunks)));
    pdf.once('error', failed);
  });
  pdf.registerFont('regular', regular).registerFont('bold', bold);
  for (const { x, y, size, width: room, isBold, isGrey, text } of texts) {
    pdf
      .font(isBold ? 'bold' : 'regular', size)
      .fillColor(isGrey ? '#555555' : '#000000')
      .text(text, x, y, { width: room, height: size * 1.4, ellipsis: true, lineBreak: true });
  }
  const module = code.side / code.qr.side;
  for (const { x, y, width: run } of code.qr.runs)
    pdf.rect(code.x + x * module, code.y + y * module, run * module, module);
  pdf.fill('#000000');
  pdf.end();
  return ended;
};
