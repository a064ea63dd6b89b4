/** A text in the languages of an institution. */
export type Texts = Readonly<Record<string, string>>;

/** A row of a plan: its name and its seats. */
interface Row {
  readonly row: string;
  readonly seats: number;
}

/** A seat category as the catalog accepts it. */
export interface SeatCategory {
  readonly code: string;
  readonly name: Texts;
  readonly numbered: boolean;
  readonly capacity: number;
  readonly rows?: readonly Row[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** An area of a plan as the catalog accepts it. */
interface SeatMapArea {
  readonly id: string;
  readonly name: Texts;
  readonly seatCategory: string;
  readonly outline: string;
  readonly rows: readonly { readonly row: string; readonly from: Point; readonly to: Point; readonly curve?: number }[];
}

/**
 * A hall: what it sells, by sections in the order of their price, and its plan; without one its places have no numbers.
 */
export interface Hall {
  readonly seatCategories: readonly SeatCategory[];
  readonly seatMap?: { readonly stage: Point & { readonly width: number }; readonly areas: readonly SeatMapArea[] };
}

/** Rows of one category, which may be several sections. */
interface Section {
  readonly id: string;
  readonly category: string;
  /** Default: the category's name. */
  readonly name?: string;
  /** A character for each; I is left out, since it is taken for 1. */
  readonly rows: string;
  /** Of each row; the last number is that of all further ones. */
  readonly seats: readonly number[];
  /** Of the first row. */
  readonly top: number;
}

/** Rows behind one another, which bow away from the stage. */
interface Block extends Section {
  readonly bow: number;
  /** Between two seats. */
  readonly pitch?: number;
}

/** Boxes at one side, each a row of seats along the wall. */
interface Boxes extends Section {
  readonly x: number;
}

/** A hall in `demo-institutions.json`: of numbered places with its sections, or the capacity of each category. */
export interface PlannedHall {
  /** The names of the categories, by their codes. */
  readonly categories: Readonly<Record<string, string>>;
  readonly capacities?: readonly number[];
  readonly sections?: readonly (Block | Boxes)[];
  /** The width of the stage. */
  readonly stage?: number;
}

const CENTRE = 200;
const PITCH = 15;
const ROWS = 18;
const EDGE = 11;

type Shape = Pick<SeatMapArea, 'outline' | 'rows'>;

/** A hall as the catalog accepts it; `texts` reads a line of the file. */
export function buildHall(
  { categories, capacities = [], sections, stage = 0 }: PlannedHall,
  texts: (line: string) => Texts,
): Hall {
  const seatCategories = Object.entries(categories).map(([code, line], index): SeatCategory => {
    const name = texts(line);
    if (!sections) return { code, name, numbered: false, capacity: capacities[index] ?? 0 };
    const rows = sections.filter(({ category }) => category === code).flatMap(rowsOf);
    return { code, name, numbered: true, capacity: rows.reduce((sum, { seats }) => sum + seats, 0), rows };
  });
  if (!sections) return { seatCategories };
  const areas = sections.map((section) => ({
    id: section.id,
    name: texts(section.name ?? categories[section.category] ?? ''),
    seatCategory: section.category,
    ...('bow' in section ? shapeOfBlock(section) : shapeOfBoxes(section)),
  }));
  return { seatCategories, seatMap: { stage: { x: CENTRE - stage / 2, y: 0, width: stage }, areas } };
}

const rowsOf = ({ rows, seats }: Section): Row[] =>
  [...rows].map((row, index) => ({ row, seats: seats[index] ?? seats.at(-1) ?? 0 }));

const shapeOfBlock = (block: Block): Shape => {
  const { top, bow, pitch = PITCH } = block;
  const rows = rowsOf(block).map(({ row, seats }, index) => {
    const half = ((seats - 1) * pitch) / 2;
    const y = top + index * ROWS;
    return { row, from: { x: CENTRE - half, y }, to: { x: CENTRE + half, y }, curve: bow };
  });
  const half = Math.max(...rows.map(({ to }) => to.x - CENTRE)) + EDGE;
  const bottom = top + (rows.length - 1) * ROWS + EDGE;
  return { outline: around({ left: CENTRE - half, right: CENTRE + half, top: top - EDGE, bottom, bow }), rows };
};

const around = ({ left, right, top, bottom, bow }: Record<'left' | 'right' | 'top' | 'bottom' | 'bow', number>) =>
  `M${left} ${top}Q${CENTRE} ${top + 2 * bow} ${right} ${top}V${bottom}Q${CENTRE} ${bottom + 2 * bow} ${left} ${bottom}Z`;

const shapeOfBoxes = (boxes: Boxes): Shape => {
  const { x, top } = boxes;
  let y = top;
  const rows: Shape['rows'][number][] = [];
  const outlines: string[] = [];
  for (const { row, seats } of rowsOf(boxes)) {
    const end = y + (seats - 1) * PITCH;
    rows.push({ row, from: { x, y }, to: { x, y: end } });
    outlines.push(`M${x - EDGE} ${y - EDGE}H${x + EDGE}V${end + EDGE}H${x - EDGE}Z`);
    y = end + 2 * EDGE + 4;
  }
  return { outline: outlines.join(''), rows };
};
