import type { CategoryInput } from './seat-category.ts';
import type { Area, SeatMap } from './seat-map.ts';
import { isPath, MAX_COORDINATE } from './svg-path.ts';

/** The most rows of a plan, as of a seat category. */
export const MAX_ROWS = 900;

/** What a plan is checked against. A removed row, with 0 seats, is still one of its category. */
export type CategoryRows = Pick<CategoryInput, 'code' | 'numbered' | 'rows'>;

const rowProblems = ({ rows }: Area, category: CategoryRows, placed: Set<string>, path: string): string[] => {
  if (!category.numbered) return rows.length > 0 ? [`${path}.rows are for numbered seat categories only`] : [];
  const seatsOf = new Map(category.rows?.map(({ row, seats }) => [row, seats]));
  return rows.flatMap(({ row, from, to }, index) => {
    const seats = seatsOf.get(row);
    if (seats === undefined) return [`${path}.rows[${index}].row is not a row of the seat category ${category.code}`];
    const key = JSON.stringify([category.code, row]);
    if (placed.has(key)) return [`${path}.rows[${index}].row has another line already`];
    placed.add(key);
    const isPoint = from.x === to.x && from.y === to.y;
    return isPoint && seats > 1 ? [`${path}.rows[${index}] has its ${seats} seats at one point`] : [];
  });
};

/** The problems of a plan, each with its path below `at`. */
export const seatMapProblems = (
  { areas }: SeatMap,
  categories: readonly CategoryRows[],
  at = '$.seatMap',
): string[] => {
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
};
