import type { About } from './about.ts';
import { contentOf, createFonts, type Face, type Fonts } from './fonts.ts';
import { layoutOf, type Text } from './layout.ts';
import { type PlacedLine, placeLine, scriptsOf } from './pieces.ts';

/** A drawn document. */
export interface Drawn {
  readonly pdf: Buffer;
  /** The scripts that no font has, each with a letter of the document that is a box in it: `Thai (U+0E01)`. */
  readonly missing: readonly string[];
}

/** The height of the product's font above its baseline, in its size: all fonts of a line stand on the same one. */
const ASCENT = 0.928;

/** With features a piece is laid out as a whole; without, each word is placed on its own, from left to right. */
const PLACED = {
  lineBreak: false,
  baseline: 'alphabetic',
  features: ['kern', 'liga', 'calt'],
} as PDFKit.Mixins.TextOptions;

const nameOf = ({ file, member = '' }: Face): string => `${file} ${member}`;

const write = (pdf: PDFKit.PDFDocument, { x, y, size, room, isGrey }: Text, { pieces }: PlacedLine): void => {
  pdf.fillColor(isGrey ? '#555555' : '#000000');
  const widths = pieces.map(({ text, face }) => pdf.font(nameOf(face), size).widthOfString(text, PLACED));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  const scale = whole > room ? room / whole : 1;
  let left = x;
  for (const [index, { text, face }] of pieces.entries()) {
    pdf.font(nameOf(face), size * scale).text(text, left, y + ASCENT * size * scale, PLACED);
    left += (widths[index] ?? 0) * scale;
  }
};

/** Makes the fonts of the lines known to the document. */
const register = async (pdf: PDFKit.PDFDocument, lines: readonly PlacedLine[]): Promise<void> => {
  const faces = new Map(lines.flatMap(({ pieces }) => pieces.map(({ face }) => [nameOf(face), face] as const)));
  for (const [name, { file, member }] of faces) pdf.registerFont(name, await contentOf(file), member);
};

/**
 * The document of a ticket as PDF, with embedded fonts. Without the instant of its making, so that the same ticket
 * gives the same bytes.
 */
export const pdfOf = async (about: About, fonts: Fonts = createFonts(undefined)): Promise<Drawn> => {
  // Loaded with the first document: most instances of the service never make one.
  const { default: PdfDocument } = await import('pdfkit');
  const { width, height, texts, code } = layoutOf(about);
  const lines = await Promise.all(texts.map((text) => placeLine(fonts, text.text, text)));
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
  await register(pdf, lines);
  const root = pdf.struct('Document');
  pdf.addStructure(root);
  for (const [index, text] of texts.entries()) {
    const line = lines[index];
    if (line) root.add(pdf.struct('P', {}, () => write(pdf, text, line)));
  }
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
  return { pdf: await ended, missing: scriptsOf(lines.flatMap(({ missing }) => missing)) };
};
