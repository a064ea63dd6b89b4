import type { Brand, Colours, Picture } from '../about.ts';
import { breakLines, isRightToLeft } from '../letters/lines.ts';

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
  /** It ends where its room does. */
  readonly atEnd?: true;
  readonly text: string;
}

/** It has the colours of the point of sale, over the whole width; below it a line in the accent. */
export interface Band {
  readonly height: number;
  readonly line: number;
  readonly colours: Colours;
  readonly logo: (Picture & { readonly x: number; readonly y: number }) | null;
}

/** `side` in modules, the quiet zone included; each dark run of a row. */
export interface QrCode {
  readonly side: number;
  readonly runs: readonly { readonly x: number; readonly y: number; readonly width: number }[];
}

/** In points (72 per inch): of a ticket a third of A4 below its band, or as tall as its texts need. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly band: Band | null;
  readonly texts: readonly Text[];
  /** Null on a page of a receipt. */
  readonly code: { readonly x: number; readonly y: number; readonly side: number; readonly qr: QrCode } | null;
}

/** Of a page, in points. */
export const WIDTH = 595;
export const MARGIN = 30;
/** Between texts and what is beside them. */
export const EDGE = 10;
/** Of a line of text, in the size of its letters. */
export const LEADING = 1.25;

const HEAD = 48;
const LINE = 3;
/** The height that a band takes. */
export const BAND = HEAD + LINE;

const LOGO = { width: 150, height: 32 };
const NUMBER = 40;

/** `page` says which of several it is, such as `1/3`. */
export function createBand({ name, colours, logo }: Brand, page: string | null): { band: Band; texts: Text[] } {
  const shown = logo && { ...fitLogo(logo), x: MARGIN };
  const left = shown ? MARGIN + shown.width + 12 : MARGIN;
  const inked = { isGrey: false, ink: colours.ink };
  const [size, right] = [11, WIDTH - MARGIN - NUMBER];
  const room = right - left - EDGE;
  const lines = breakLines(name, room, 2, { size, isBold: true });
  const top = (HEAD - lines.length * size * LEADING) / 2;
  const fromRight = isRightToLeft(name);
  const texts = lines.map(
    (text, index): Text => ({
      ...inked,
      x: left,
      y: top + index * size * LEADING,
      size,
      room,
      isBold: true,
      fromRight,
      text,
    }),
  );
  const middle = (HEAD - 9 * LEADING) / 2;
  const number = { ...inked, x: right, y: middle, size: 9, room: NUMBER, isBold: false, fromRight: false };
  return {
    band: { height: HEAD, line: LINE, colours, logo: shown && { ...shown, y: (HEAD - shown.height) / 2 } },
    texts: page === null ? texts : [...texts, { ...number, text: page }],
  };
}

const fitLogo = (logo: Picture): Picture => {
  const scale = Math.min(LOGO.width / logo.width, LOGO.height / logo.height);
  return { ...logo, width: logo.width * scale, height: logo.height * scale };
};
