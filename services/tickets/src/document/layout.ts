import { correction, generate, mode } from 'lean-qr';
import type { About, Brand, Colours, Content, Picture } from './about.ts';
import { breakLines, isRightToLeft } from './letters/lines.ts';

/** Modules around a QR code (ISO/IEC 18004). */
const QUIET = 4;

/** `side` in modules, the quiet zone included; each dark run of a row. */
interface QrCode {
  readonly side: number;
  readonly runs: readonly { readonly x: number; readonly y: number; readonly width: number }[];
}

/** `y` is the top of its letters, in points, `room` the width until the code. */
export interface Text {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly room: number;
  readonly isBold: boolean;
  readonly isGrey: boolean;
  /** The colour on a band (`#rrggbb`). */
  readonly ink?: string;
  /** Its paragraph is read from the right. */
  readonly fromRight: boolean;
  readonly text: string;
}

/** It has the colours of the point of sale, over the whole width; below it a line in the accent. */
export interface Band {
  readonly height: number;
  readonly line: number;
  readonly colours: Colours;
  readonly logo: (Picture & { readonly x: number; readonly y: number }) | null;
}

/** In points (72 per inch): a third of A4 below its band, or as tall as its texts need. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly band: Band | null;
  readonly texts: readonly Text[];
  readonly code: { readonly x: number; readonly y: number; readonly side: number; readonly qr: QrCode };
}

const WIDTH = 595;
const HEIGHT = 281;
const MARGIN = 30;
/** Between the page's edge and the quiet zone of the code. */
const EDGE = 10;
/** At 72 dpi each module of a code of version 6 or 8 is four pixels wide. */
const MODULE = 4;
const NAMES = 72;

const HEAD = 48;
const LINE = 3;
const LOGO = { width: 150, height: 32 };
const NUMBER = 40;

interface Style {
  readonly size: number;
  readonly most?: number;
  readonly isBold?: boolean;
  readonly isGrey?: boolean;
  readonly x?: number;
}

export function createLayouts({ pages, brand }: Content): Layout[] {
  return pages.map((about, index) =>
    createLayout(about, brand, pages.length > 1 ? `${index + 1}/${pages.length}` : null),
  );
}

/** `page` says which of several it is, such as `1/3`. */
const createLayout = (
  { institution, title, when, venue, entries, barcode, note, number }: About,
  brand: Brand | null,
  page: string | null,
): Layout => {
  const head = brand && createBand(brand, page);
  const start = head ? HEAD + LINE : 0;
  const qr = createQrCode(barcode);
  const side = Math.min(qr.side * MODULE, HEIGHT - 2 * EDGE);
  const codeX = WIDTH - side - EDGE;
  const texts: Text[] = head ? [...head.texts] : [];

  /** Returns the height below the text. */
  const add = (
    text: string | null,
    top: number,
    { size, most = 1, isBold = false, isGrey = false, x = MARGIN }: Style,
  ) => {
    const room = codeX - EDGE - x;
    const lines = text === null ? [] : breakLines(text, room, most, { size, isBold });
    const fromRight = text !== null && isRightToLeft(text);
    for (const [index, line] of lines.entries())
      texts.push({ x, y: top + index * size * 1.25, size, room, isBold, isGrey, fromRight, text: line });
    return top + lines.length * size * 1.25;
  };

  let y = add(institution, start + MARGIN - 4, { size: 9, most: 2, isGrey: true });
  const isLong = breakLines(title, codeX - EDGE - MARGIN, 3, { size: 17, isBold: true }).length > 2;
  y = add(title, y + 4, { size: isLong ? 12 : 17, most: 4, isBold: true });
  y = add(when, y + 6, { size: 11, most: 2, isBold: true });
  y = add(venue, y + 4, { size: 10, most: 2 });
  y += 10;
  for (const { name, value } of entries) {
    const below = add(name, y, { size: 9, isGrey: true });
    y = Math.max(below, add(value, y, { size: 9, most: 3, x: MARGIN + NAMES })) + 4;
  }
  const height = Math.max(start + HEIGHT, Math.ceil(y + 8 + 2 * 11 + MARGIN - 4));
  const foot = add(note, height - MARGIN - 20, { size: 8, isGrey: true });
  add(number, foot + 2, { size: 8, isGrey: true });
  const code = { x: codeX, y: start + (height - start - side) / 2, side, qr };
  return { width: WIDTH, height, band: head?.band ?? null, texts, code };
};

const createBand = ({ name, colours, logo }: Brand, page: string | null): { band: Band; texts: Text[] } => {
  const shown = logo && { ...fitLogo(logo), x: MARGIN };
  const left = shown ? MARGIN + shown.width + 12 : MARGIN;
  const inked = { isGrey: false, ink: colours.ink };
  const [size, right] = [11, WIDTH - MARGIN - NUMBER];
  const room = right - left - EDGE;
  const lines = breakLines(name, room, 2, { size, isBold: true });
  const top = (HEAD - lines.length * size * 1.25) / 2;
  const fromRight = isRightToLeft(name);
  const texts = lines.map(
    (text, index): Text => ({
      ...inked,
      x: left,
      y: top + index * size * 1.25,
      size,
      room,
      isBold: true,
      fromRight,
      text,
    }),
  );
  const middle = (HEAD - 9 * 1.25) / 2;
  const number = { ...inked, x: right, y: middle, size: 9, room: NUMBER, isBold: false, fromRight: false };
  return {
    band: { height: HEAD, line: LINE, colours, logo: shown && { ...shown, y: (HEAD - shown.height) / 2 } },
    texts: page === null ? texts : [...texts, { ...number, text: page }],
  };
};

const fitLogo = (logo: Picture): Picture => {
  const scale = Math.min(LOGO.width / logo.width, LOGO.height / logo.height);
  return { ...logo, width: logo.width * scale, height: logo.height * scale };
};

/** Uses the alphanumeric mode where it fits, with correction level M or better. */
const createQrCode = (barcode: string): QrCode => {
  const code = generate(barcode, { minCorrectionLevel: correction.M, modes: [mode.alphaNumeric, mode.ascii] });
  const runs: { x: number; y: number; width: number }[] = [];
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) {
      if (!code.get(x, y)) continue;
      const start = x;
      while (code.get(x + 1, y)) x += 1;
      runs.push({ x: start + QUIET, y: y + QUIET, width: x - start + 1 });
    }
  }
  return { side: code.size + 2 * QUIET, runs };
};
