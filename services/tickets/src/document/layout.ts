import { correction, generate, mode } from 'lean-qr';
import type { About } from './about.ts';

/** Light modules around a QR code (ISO/IEC 18004). */
const QUIET = 4;

/** A QR code: its side in modules, the quiet zone included, and each dark run of a row. */
export interface QrCode {
  readonly side: number;
  readonly runs: readonly { readonly x: number; readonly y: number; readonly width: number }[];
}

/** The QR code of a barcode: in the alphanumeric mode where it fits, with correction level M or better. */
export const qrCodeOf = (barcode: string): QrCode => {
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

/** A text at a position, in points; `width` is what it has until the edge or the code. */
export interface Text {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly width: number;
  readonly isBold: boolean;
  readonly isGrey: boolean;
  readonly text: string;
}

/** A page of one ticket, in points (72 per inch): a third of A4, as tall as the QR code needs. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly Text[];
  readonly code: { readonly x: number; readonly y: number; readonly side: number; readonly qr: QrCode };
}

const WIDTH = 595;
const HEIGHT = 281;
const MARGIN = 34;
/** At 72 dpi each module of a code of version 6 or 8 is four pixels wide. */
const MODULE = 4;

/** Where everything stands. */
export const layoutOf = ({ title, when, venue, entries, barcode, ticketId, note }: About): Layout => {
  const qr = qrCodeOf(barcode);
  const side = Math.min(qr.side * MODULE, HEIGHT - 2 * 10);
  const code = { x: WIDTH - side - 10, y: (HEIGHT - side) / 2, side, qr };
  const width = code.x - MARGIN - 10;
  const texts: Text[] = [];
  let y = MARGIN;
  const add = (text: string | null, size: number, { isBold = false, isGrey = false, x = MARGIN } = {}): void => {
    if (text !== null && text !== '') texts.push({ x, y, size, width: width - (x - MARGIN), isBold, isGrey, text });
  };
  const line = (height: number) => {
    y += height;
  };
  add(title, 20, { isBold: true });
  line(32);
  add(when, 11);
  line(when === null ? 0 : 17);
  add(venue, 11);
  line(venue === null ? 8 : 25);
  for (const { name, value } of entries) {
    add(name, 9, { isGrey: true });
    add(value, 9, { x: MARGIN + 76 });
    line(16);
  }
  y = HEIGHT - MARGIN - 22;
  add(note, 8, { isGrey: true });
  line(14);
  add(ticketId, 8, { isGrey: true });
  return { width: WIDTH, height: HEIGHT, texts, code };
};
