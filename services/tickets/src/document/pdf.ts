import { type Content, formatTitle } from './about.ts';
import type { Band, Layout, Text } from './layout/page.ts';
import { createLayouts } from './layout/tickets.ts';
import { createFonts, type Face, type Fonts, readFontFile } from './letters/fonts.ts';
import { listScripts, type PlacedLine, placeLine } from './letters/pieces.ts';
import { drawLogo, registerLogoFonts } from './logo.ts';

export interface Drawn {
  readonly pdf: Buffer;
  /** Scripts that no font has, each with a letter that is a box in the document: `Thai (U+0E01)`. */
  readonly missing: readonly string[];
}

/** The height above the baseline, in the size of the font: all fonts of a line stand on the same one. */
const ASCENT = 0.928;

/** With features a piece is laid out as a whole; without, each word is placed on its own, from left to right. */
const PLACED = {
  lineBreak: false,
  baseline: 'alphabetic',
  features: ['kern', 'liga', 'calt'],
} as PDFKit.Mixins.TextOptions;

interface PlacedPage {
  readonly layout: Layout;
  readonly lines: readonly PlacedLine[];
  readonly label: string;
}

/** Embeds the fonts, and omits the instant of its making, so that the same tickets give the same bytes. */
export async function drawPdf(content: Content, fonts: Fonts = createFonts(undefined)): Promise<Drawn> {
  // Most instances of the service never make a document.
  const { default: PdfDocument } = await import('pdfkit');
  const { pages, brand } = content;
  const [about] = pages;
  if (!about) throw new Error('a document needs a ticket');
  const placed = await Promise.all(
    createLayouts(content).map(
      async (layout, index): Promise<PlacedPage> => ({
        layout,
        lines: await Promise.all(layout.texts.map((text) => placeLine(fonts, text.text, text))),
        label: pages[index]?.code ?? '',
      }),
    ),
  );
  const lines = placed.flatMap((page) => page.lines);
  const author = about.institution ?? brand?.name;
  const pdf = new PdfDocument({
    ...getSize(placed[0]),
    lang: about.language,
    displayTitle: true,
    tagged: true,
    info: {
      Title: formatTitle(content),
      ...(author === undefined ? {} : { Author: author }),
      Creator: 'boxoffice',
      Producer: 'boxoffice',
      CreationDate: new Date(
        pages
          .map(({ printedAt }) => printedAt)
          .sort()
          .at(-1) ?? about.printedAt,
      ),
    },
  });
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<Buffer>((done, failed) => {
    pdf.once('end', () => done(Buffer.concat(chunks)));
    pdf.once('error', failed);
  });
  await registerFonts(pdf, lines);
  if (brand?.logo) await registerLogoFonts(pdf);
  const root = pdf.struct('Document');
  pdf.addStructure(root);
  for (const [index, page] of placed.entries()) {
    const { band, width } = page.layout;
    if (index > 0) pdf.addPage(getSize(page));
    if (band) drawBand(pdf, band, width);
    const section = placed.length > 1 ? pdf.struct('Sect') : root;
    if (section !== root) root.add(section);
    drawPage(pdf, page, section);
    if (section !== root) section.end();
  }
  root.end();
  pdf.end();
  return { pdf: await ended, missing: listScripts(lines.flatMap(({ missing }) => missing)) };
}

const getSize = (page: PlacedPage | undefined) => {
  const { width = 0, height = 0 } = page?.layout ?? {};
  return { size: [width, height] as [number, number], margin: 0 };
};

const registerFonts = async (pdf: PDFKit.PDFDocument, lines: readonly PlacedLine[]): Promise<void> => {
  const faces = new Map(lines.flatMap(({ pieces }) => pieces.map(({ face }) => [nameFace(face), face] as const)));
  for (const [name, { file, member }] of faces) pdf.registerFont(name, await readFontFile(file), member);
};

const nameFace = ({ file, member = '' }: Face): string => `${file} ${member}`;

/** Colours and logo are decoration, which is not read out. */
const drawBand = (pdf: PDFKit.PDFDocument, { height, line, colours, logo }: Band, width: number): void => {
  pdf.markContent('Artifact', { type: 'Layout' });
  pdf.rect(0, 0, width, height).fill(colours.paper);
  pdf.rect(0, height, width, line).fill(colours.accent);
  if (logo) drawLogo(pdf, logo);
  pdf.endMarkedContent();
};

const drawPage = (
  pdf: PDFKit.PDFDocument,
  { layout: { texts, code }, lines, label }: PlacedPage,
  section: PDFKit.PDFStructureElement,
): void => {
  for (const [index, text] of texts.entries()) {
    const line = lines[index];
    if (line) section.add(pdf.struct('P', {}, () => writeText(pdf, text, line)));
  }
  if (!code) return;
  const module = code.side / code.qr.side;
  section.add(
    pdf.struct('Figure', { alt: label }, () => {
      for (const { x, y, width: run } of code.qr.runs)
        pdf.rect(code.x + x * module, code.y + y * module, run * module, module);
      pdf.fill('#000000');
    }),
  );
};

const writeText = (
  pdf: PDFKit.PDFDocument,
  { x, y, size, room, isGrey, ink, atEnd }: Text,
  { pieces }: PlacedLine,
): void => {
  pdf.fillColor(ink ?? (isGrey ? '#555555' : '#000000'));
  const widths = pieces.map(({ text, face }) => pdf.font(nameFace(face), size).widthOfString(text, PLACED));
  const whole = widths.reduce((sum, width) => sum + width, 0);
  const scale = whole > room ? room / whole : 1;
  let left = atEnd ? x + room - whole * scale : x;
  for (const [index, { text, face }] of pieces.entries()) {
    pdf.font(nameFace(face), size * scale).text(text, left, y + ASCENT * size * scale, PLACED);
    left += (widths[index] ?? 0) * scale;
  }
};
