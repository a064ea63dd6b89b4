import type { SeatCategory, SeatMap, SeatMapArea, Texts } from './institution.ts';

/** A row of a plan: its name, its seats, and where its middle is. */
interface PlannedRow {
  readonly row: string;
  readonly seats: number;
}

/** Rows behind one another, which bow away from the stage. */
interface Block {
  readonly id: string;
  readonly name: Texts;
  readonly category: string;
  readonly rows: readonly PlannedRow[];
  /** Of the first row. */
  readonly top: number;
  readonly bow: number;
  /** Between two seats. */
  readonly pitch?: number;
}

/** Boxes at one side, each a row of seats along the wall. */
interface Boxes {
  readonly id: string;
  readonly name: Texts;
  readonly category: string;
  readonly rows: readonly PlannedRow[];
  readonly x: number;
  readonly top: number;
}

const CENTRE = 200;
const PITCH = 15;
const ROWS = 18;
const EDGE = 11;

const around = ({ left, right, top, bottom, bow }: Record<'left' | 'right' | 'top' | 'bottom' | 'bow', number>) =>
  `M${left} ${top}Q${CENTRE} ${top + 2 * bow} ${right} ${top}V${bottom}Q${CENTRE} ${bottom + 2 * bow} ${left} ${bottom}Z`;

const areaOfBlock = ({ id, name, category, rows, top, bow, pitch = PITCH }: Block): SeatMapArea => {
  const lines = rows.map(({ row, seats }, index) => {
    const half = ((seats - 1) * pitch) / 2;
    const y = top + index * ROWS;
    return { row, from: { x: CENTRE - half, y }, to: { x: CENTRE + half, y }, curve: bow };
  });
  const half = Math.max(...lines.map(({ to }) => to.x - CENTRE)) + EDGE;
  const bottom = top + (rows.length - 1) * ROWS + EDGE;
  const outline = around({ left: CENTRE - half, right: CENTRE + half, top: top - EDGE, bottom, bow });
  return { id, name, seatCategory: category, outline, rows: lines };
};

const areaOfBoxes = ({ id, name, category, rows, x, top }: Boxes): SeatMapArea => {
  let y = top;
  const lines: SeatMapArea['rows'][number][] = [];
  const outlines: string[] = [];
  for (const { row, seats } of rows) {
    const end = y + (seats - 1) * PITCH;
    lines.push({ row, from: { x, y }, to: { x, y: end } });
    outlines.push(`M${x - EDGE} ${y - EDGE}H${x + EDGE}V${end + EDGE}H${x - EDGE}Z`);
    y = end + 2 * EDGE + 4;
  }
  return { id, name, seatCategory: category, outline: outlines.join(''), rows: lines };
};

/** A hall: what it sells, by sections in the order of their price, and its plan. */
export interface Hall {
  readonly seatCategories: readonly SeatCategory[];
  readonly seatMap: SeatMap;
}

type Section = Block | Boxes;

/** Rows with letters, from the first that is given; I is left out, since it is taken for 1. */
export const lettered = (letters: string, ...seats: readonly number[]): PlannedRow[] =>
  [...letters].map((row, index) => ({ row, seats: seats[index] ?? seats.at(-1) ?? 0 }));

/** Boxes with numbers, from the first that is given, each with as many seats. */
export const boxes = (first: number, count: number, seats: number): PlannedRow[] =>
  Array.from({ length: count }, (_, index) => ({ row: String(first + index), seats }));

/** A hall of numbered places; several sections may be one category, whose name is that of `names`. */
export const hallOf = (
  names: Readonly<Record<string, Texts>>,
  sections: readonly Section[],
  stageWidth: number,
): Hall => {
  const seatCategories = Object.entries(names).map(([code, name]): SeatCategory => {
    const rows = sections.filter(({ category }) => category === code).flatMap((section) => section.rows);
    return { code, name, numbered: true, capacity: rows.reduce((sum, { seats }) => sum + seats, 0), rows };
  });
  const areas = sections.map((section) => ('bow' in section ? areaOfBlock(section) : areaOfBoxes(section)));
  return { seatCategories, seatMap: { stage: { x: CENTRE - stageWidth / 2, y: 0, width: stageWidth }, areas } };
};
