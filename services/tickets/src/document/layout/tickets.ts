import { correction, generate, mode } from 'lean-qr';
import type { About, Brand, Content } from '../about.ts';
import { breakLines, isRightToLeft } from '../letters/lines.ts';
import { BAND, createBand, EDGE, type Layout, LEADING, MARGIN, type QrCode, type Text, WIDTH } from './page.ts';
import { createReceiptLayouts } from './receipt.ts';

/** Modules around a QR code (ISO/IEC 18004). */
const QUIET = 4;

const HEIGHT = 281;
/** At 72 dpi each module of a code of version 6 or 8 is four pixels wide. */
const MODULE = 4;
const NAMES = 72;

interface Style {
  readonly size: number;
  readonly most?: number;
  readonly isBold?: boolean;
  readonly isGrey?: boolean;
  readonly x?: number;
}

export function createLayouts({ pages, brand, receipt }: Content): Layout[] {
  const tickets = pages.map((about, index) =>
    createLayout(about, brand, pages.length > 1 ? `${index + 1}/${pages.length}` : null),
  );
  return receipt ? [...tickets, ...createReceiptLayouts(receipt, brand)] : tickets;
}

/** `page` says which of several it is, such as `1/3`. */
const createLayout = (
  { institution, seller, title, when, venue, entries, barcode, note, number }: About,
  brand: Brand | null,
  page: string | null,
): Layout => {
  const head = brand && createBand(brand, page);
  const start = head ? BAND : 0;
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
      texts.push({ x, y: top + index * size * LEADING, size, room, isBold, isGrey, fromRight, text: line });
    return top + lines.length * size * LEADING;
  };

  let y = add(seller ?? institution, start + MARGIN - 4, { size: 9, most: 3, isGrey: true });
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
