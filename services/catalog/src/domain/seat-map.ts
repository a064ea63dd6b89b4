import { derivePlaceId, formatPlaceLabel } from './place.ts';
import {
  type CategoryInput,
  countPositions,
  countSeats,
  findSeatLabel,
  type Row,
  type SeatCategory,
} from './seat-category.ts';
import { computeBoundingPoints, isPath, MAX_COORDINATE, type Point } from './svg-path.ts';
import type { Texts } from './tariff.ts';

/** Where the seats of a row are: the first at `from`, the last at `to`. */
interface RowLine {
  readonly row: string;
  readonly from: Point;
  readonly to: Point;
  /** How far the middle bows to the right of the way from `from` to `to`: away from a stage above, if it goes right. */
  readonly curve?: number;
}

export interface Area {
  readonly id: string;
  readonly name: Texts;
  readonly seatCategory: string;
  readonly outline: string;
  readonly rows: readonly RowLine[];
}

/** The front edge of a stage: `width` to the right of its left end. */
type Stage = Point & { readonly width: number };

/** In units of its own. */
export interface SeatMap {
  readonly stage: Stage;
  readonly areas: readonly Area[];
}

interface DrawnArea {
  readonly id: string;
  readonly name: Texts;
  readonly seatCategoryId: string;
  readonly outline: string;
}

export interface DrawnSeat extends Point {
  readonly areaId: string;
  readonly row: string;
  readonly label: string;
}

export interface DrawnMap {
  readonly stage: Stage;
  readonly areas: readonly DrawnArea[];
  readonly seats: Readonly<Record<string, DrawnSeat>>;
}

/** The distance of seats and rows where no plan says it. */
const PITCH = 10;

/** Parts into which an arc is divided to measure it. */
const PARTS = 128;

/** Points at equal distances along a row; a single one in its middle. */
export function computeRowPoints({ from, to, curve = 0 }: Omit<RowLine, 'row'>, count: number): Point[] {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const at = (t: number): Point => {
    const bow = (4 * curve * t * (1 - t)) / length;
    return { x: roundToHundredth(from.x + dx * t - dy * bow), y: roundToHundredth(from.y + dy * t + dx * bow) };
  };
  // The length of the parabola up to each part, in units of the straight line.
  const lengths = [0];
  for (let part = 0; part < PARTS; part += 1) {
    const slope = (4 * curve * (1 - (2 * part + 1) / PARTS)) / length;
    lengths.push((lengths[part] ?? 0) + Math.hypot(1, slope));
  }
  const total = lengths[PARTS] ?? 1;
  let part = 0;
  return Array.from({ length: count }, (_, index) => {
    const wanted = count === 1 ? total / 2 : (total * index) / (count - 1);
    while (part < PARTS - 1 && (lengths[part + 1] ?? 0) < wanted) part += 1;
    const [before = 0, after = 1] = [lengths[part], lengths[part + 1]];
    return at(Math.min(1, (part + (wanted - before) / (after - before)) / PARTS));
  });
}

const roundToHundredth = (value: number): number => Math.round(value * 100) / 100;

type Indexed = SeatCategory & { readonly index: number };

type Seats = [string, DrawnSeat][];

/** What is to be drawn without a plan: the rows of a category, or a category that has none. */
interface Block {
  readonly category: Indexed;
  readonly rows: readonly Row[];
}

interface Ground {
  readonly performanceId: string;
  readonly centre: number;
  readonly top: number;
  readonly pitch: number;
  readonly width: number;
}

interface Hall {
  readonly id: string;
  readonly seatCategories: readonly SeatCategory[];
  readonly seatMap?: SeatMap | null;
}

/**
 * Its own plan, with what that leaves out as plain blocks below it; or a plain one. A row that the category has no
 * longer is left out; the id of a computed area is that of its seat category.
 */
export function drawSeatMap({ id: performanceId, seatCategories, seatMap }: Hall): DrawnMap {
  const categories = seatCategories.map((category, index): Indexed => ({ ...category, index }));
  const blocks = blocksBeside(categories, seatMap?.areas ?? []);
  if (!seatMap) return drawPlainly(performanceId, blocks);
  const byCode = new Map(categories.map((category) => [category.code, category]));
  const { stage } = seatMap;
  const areas: DrawnArea[] = [];
  const seats: Seats = [];
  for (const { id, name, seatCategory, outline, rows } of seatMap.areas) {
    const category = byCode.get(seatCategory);
    if (!category) continue;
    areas.push({ id, name, seatCategoryId: category.id, outline });
    for (const line of rows) seats.push(...seatsAlong(performanceId, category, line, id));
  }
  if (blocks.length > 0) {
    const points = [
      ...areas.flatMap(({ outline }) => computeBoundingPoints(outline)),
      ...seats.map(([, seat]) => seat),
      stage,
    ];
    const [left, right] = rangeOf([...points.map(({ x }) => x), stage.x + stage.width]);
    const [, bottom] = rangeOf(points.map(({ y }) => y));
    const pitch = pitchOf(seats);
    const ground = { centre: (left + right) / 2, top: bottom + 2 * pitch, pitch, width: (right - left) / 2 };
    const beside = drawBlocks(blocks, { performanceId, ...ground });
    areas.push(...beside.areas);
    seats.push(...beside.seats);
  }
  return { stage, areas, seats: Object.fromEntries(seats) };
}

const blocksBeside = (categories: readonly Indexed[], areas: readonly Area[]): Block[] =>
  categories.flatMap((category) => {
    const own = areas.filter(({ seatCategory }) => seatCategory === category.code);
    const placed = new Set(own.flatMap(({ rows }) => rows.map(({ row }) => row)));
    const rows = category.rows.filter(({ row, seats }) => countSeats(seats) > 0 && !placed.has(row));
    const isDrawn = category.numbered ? rows.length > 0 : own.length === 0;
    return isDrawn ? [{ category, rows }] : [];
  });

const drawPlainly = (performanceId: string, blocks: readonly Block[]): DrawnMap => {
  const width = Math.max(10, ...blocks.flatMap(({ rows }) => rows.map(({ seats }) => countPositions(seats)))) * PITCH;
  const ground = { performanceId, centre: width / 2, top: 3 * PITCH, pitch: PITCH, width: width / 2 };
  const { areas, seats } = drawBlocks(blocks, ground);
  return { stage: { x: width / 4, y: PITCH, width: width / 2 }, areas, seats: Object.fromEntries(seats) };
};

/** Blocks below one another, their rows straight and centred, the best first. */
const drawBlocks = (blocks: readonly Block[], { performanceId, centre, top, pitch, width }: Ground) => {
  const areas: DrawnArea[] = [];
  const seats: Seats = [];
  let y = top;
  for (const { category, rows } of blocks) {
    const { id, name } = category;
    const seatsWide = Math.max(0, ...rows.map(({ seats }) => countPositions(seats)));
    const [wide, high] = rows.length > 0 ? [seatsWide * pitch, rows.length * pitch] : [width, 4 * pitch];
    areas.push({ id, name, seatCategoryId: id, outline: rectangle(centre - wide / 2, y, wide, high) });
    for (const [index, { row, seats: own }] of rows.entries()) {
      const reach = ((countPositions(own) - 1) * pitch) / 2;
      const level = y + (index + 0.5) * pitch;
      const line = { row, from: { x: centre - reach, y: level }, to: { x: centre + reach, y: level } };
      seats.push(...seatsAlong(performanceId, category, line, id));
    }
    y += high + 2 * pitch;
  }
  return { areas, seats };
};

const rectangle = (left: number, top: number, width: number, height: number): string => {
  const [x, y, right, bottom] = [left, top, left + width, top + height].map(roundToHundredth);
  return `M${x} ${y}H${right}V${bottom}H${x}Z`;
};

const seatsAlong = (performanceId: string, category: Indexed, line: RowLine, areaId: string): Seats => {
  const row = category.rows.findIndex((one) => one.row === line.row);
  const { seats } = category.rows[row] ?? {};
  // A gap has its room on the line, and no seat.
  return computeRowPoints(line, countPositions(seats)).flatMap((point, position): Seats => {
    const spot = { category: category.index, row, seat: position + 1 };
    if (findSeatLabel(seats, spot.seat) === null) return [];
    return [
      [
        derivePlaceId(performanceId, spot),
        { areaId, row: line.row, label: formatPlaceLabel(category, spot), ...point },
      ],
    ];
  });
};

const rangeOf = (numbers: readonly number[]): readonly [number, number] =>
  numbers.reduce<[number, number]>(
    ([least, greatest], each) => [Math.min(least, each), Math.max(greatest, each)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );

/** Of two neighbours of a row; that of a plain plan if there are none. */
const pitchOf = (seats: Seats): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const [index, [, { areaId, row, x, y }]] of seats.entries()) {
    const before = seats[index - 1]?.[1];
    if (before?.areaId !== areaId || before.row !== row) continue;
    const distance = Math.hypot(x - before.x, y - before.y);
    if (distance > 0) least = Math.min(least, distance);
  }
  return Number.isFinite(least) ? least : PITCH;
};

/** The most rows of a plan, as of a seat category. */
export const MAX_ROWS = 900;

/** A removed row, with 0 seats, is still one of its category. */
export type CategoryRows = Pick<CategoryInput, 'code' | 'numbered' | 'rows'>;

export function findSeatMapProblems(
  { areas }: SeatMap,
  categories: readonly CategoryRows[],
  at = '$.seatMap',
): string[] {
  const byCode = new Map(categories.map((category) => [category.code, category]));
  const ids = new Set<string>();
  const placed = new Set<string>();
  const total = areas.reduce((sum, { rows }) => sum + rows.length, 0);
  const tooMany = total > MAX_ROWS ? [`${at}.areas have ${total} rows; at most ${MAX_ROWS} are allowed`] : [];
  const ofAreas = areas.flatMap((area, index) => {
    const path = `${at}.areas[${index}]`;
    const repeated = ids.has(area.id);
    ids.add(area.id);
    const category = byCode.get(area.seatCategory);
    return [
      ...(repeated ? [`${path}.id is the id of another area`] : []),
      ...(isPath(area.outline)
        ? []
        : [`${path}.outline is not an SVG path that begins with M, with numbers up to ${MAX_COORDINATE}`]),
      ...(category
        ? rowProblems(area, category, placed, path)
        : [`${path}.seatCategory is not the code of a seat category`]),
    ];
  });
  return [...tooMany, ...ofAreas];
}

const rowProblems = ({ rows }: Area, category: CategoryRows, placed: Set<string>, path: string): string[] => {
  if (!category.numbered) return rows.length > 0 ? [`${path}.rows are for numbered seat categories only`] : [];
  const positions = new Map(category.rows?.map(({ row, seats }) => [row, countPositions(seats)]));
  return rows.flatMap(({ row, from, to }, index) => {
    const seats = positions.get(row);
    if (seats === undefined) return [`${path}.rows[${index}].row is not a row of the seat category ${category.code}`];
    const key = JSON.stringify([category.code, row]);
    if (placed.has(key)) return [`${path}.rows[${index}].row has another line already`];
    placed.add(key);
    const isPoint = from.x === to.x && from.y === to.y;
    return isPoint && seats > 1 ? [`${path}.rows[${index}] has its ${seats} seats at one point`] : [];
  });
};
