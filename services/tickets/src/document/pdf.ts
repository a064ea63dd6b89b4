import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { About } from './about.ts';
import { runsOf } from './direction.ts';
import { layoutOf, type Text } from './layout.ts';
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

/** With features a run is one piece; without, each word is placed on its own, from left to right. */
const PLACED = { lineBreak: false, features: ['kern', 'liga', 'calt'] } as PDFKit.Mixins.TextOptions;

const write = (pdf: PDFKit.PDFDocument, { x, y, size, room, isBold, isGrey, text }: Text): void => {
  pdf.font(isBold ? 'bold' : 'regular', size).fillColor(isGrey ? '#555555' : '#000000');
  const runs = runsOf(text);
  const widths = runs.map((run) => pdf.widthOfString(run, PLACED));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  const scale = whole > room ? room / whole : 1;
  pdf.fontSize(size * scale);
  let left = x;
  for (const [index, run] of runs.entries()) {
    pdf.text(run, left, y, PLACED);
    left += (widths[index] ?? 0) * scale;
  }
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
    displayTitle: true,
    tagged: true,
    info: {
      Title: about.title,
      ...(about.institution === null ? {} : { Author: about.institution }),
      Creator: 'boxoffice',
      Producer: 'boxoffice',
      CreationDate: new Date(about.printedAt),
    },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<Buffer>((done, failed) => {
    pdf.once('end', () => done(Buffer.concat(chunks)));
    pdf.once('error', failed);
  });
  pdf.registerFont('regular', regular).registerFont('bold', bold);
  const root = pdf.struct('Document');
  pdf.addStructure(root);
  for (const text of texts) root.add(pdf.struct('P', {}, () => write(pdf, text)));
  const module = code.side / code.qr.side;
  root.add(
    pdf.struct('Figure', { alt: about.code }, () => {
      for (const { x, y, width: run } of code.qr.runs)
        pdf.rect(code.x + x * module, code.y + y * module, run * module, module);
      pdf.fill('#000000');
    }),
  );
  root.end();
  pdf.end();
  return ended;
};
