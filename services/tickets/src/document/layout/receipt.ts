import type { Brand, Receipt, Row } from '../about.ts';
import { breakLines, isRightToLeft } from '../letters/lines.ts';
import { BAND, createBand, EDGE, type Layout, LEADING, MARGIN, type Text, WIDTH } from './page.ts';

/** A4, in points. */
const HEIGHT = 842;
const SIZE = 9;
const TITLE = 17;
/** Of an amount. */
const COLUMN = 86;
const BETWEEN = { rows: 2, blocks: 8 };

/** Pages of A4, as many as the blocks need. */
export function createReceiptLayouts(receipt: Receipt, brand: Brand | null): Layout[] {
  const start = (brand ? BAND : 0) + MARGIN;
  const pages: Text[][] = [[]];
  let y = start;
  const makeRoom = (height: number): void => {
    if (y === start || y + height <= HEIGHT - MARGIN) return;
    pages.push([]);
    y = start;
  };
  for (const block of receipt) {
    const rows = block.map(placeRow);
    makeRoom(rows.reduce((sum, { height }) => sum + height, 0));
    for (const { texts, height } of rows) {
      makeRoom(height);
      pages.at(-1)?.push(...texts.map((text) => ({ ...text, y: text.y + y })));
      y += height;
    }
    y += BETWEEN.blocks;
  }
  return pages.map((texts, index) => {
    const head = brand && createBand(brand, pages.length > 1 ? `${index + 1}/${pages.length}` : null);
    return {
      ...{ width: WIDTH, height: HEIGHT, code: null },
      band: head?.band ?? null,
      texts: [...(head?.texts ?? []), ...texts],
    };
  });
}

/** As if at the top of a page. */
const placeRow = ({ text, amounts = [], isTitle = false, isBold = isTitle, isGrey = false }: Row) => {
  const size = isTitle ? TITLE : SIZE;
  const style = { size, isBold, isGrey };
  const end = WIDTH - MARGIN - amounts.length * COLUMN;
  const room = end - MARGIN - (amounts.length > 0 ? EDGE : 0);
  const lines = breakLines(text, room, 4, style);
  const fromRight = isRightToLeft(text);
  return {
    height: lines.length * size * LEADING + BETWEEN.rows,
    texts: [
      ...lines.map((line, index): Text => {
        const y = index * size * LEADING;
        return { ...style, x: MARGIN, y, room, fromRight, text: line };
      }),
      ...amounts.map((amount, index): Text => {
        const x = end + index * COLUMN;
        return { ...style, x, y: 0, room: COLUMN, fromRight: false, atEnd: true, text: amount };
      }),
    ],
  };
};
