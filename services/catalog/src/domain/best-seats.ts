import { toRowPosition, toSeatPosition } from './place.ts';

export interface FreeSeat {
  readonly id: string;
  readonly order: number;
}

interface Block {
  readonly ids: readonly string[];
  readonly score: number;
}

interface Run {
  readonly row: number;
  readonly seats: readonly FreeSeat[];
}

/** Seats nearer to the centre that one row nearer to the front is worth. */
const ROW_WORTH = 8;
/** The cost of a single free seat left beside the block: it is hard to sell. */
const ORPHAN_COST = 3;

/** Takes the longest runs first, the nearer one of equal runs. Undefined if too few seats are free. */
export function findFewestGroups(free: readonly FreeSeat[], count: number): readonly string[] | undefined {
  if (free.length < count) return undefined;
  const longest = runs(free).sort((left, right) => right.seats.length - left.seats.length || left.row - right.row);
  return longest
    .flatMap(({ seats }) => seats)
    .slice(0, count)
    .map(({ id }) => id);
}

/** A run is in one row, at consecutive positions, without a gap such as an aisle. */
const runs = (free: readonly FreeSeat[]): Run[] => {
  const sorted = [...free].sort((left, right) => left.order - right.order);
  const found: { row: number; seats: FreeSeat[] }[] = [];
  for (const seat of sorted) {
    const run = found.at(-1);
    const last = run?.seats.at(-1);
    if (run && last && last.order + 1 === seat.order) run.seats.push(seat);
    else found.push({ row: toRowPosition(seat.order), seats: [seat] });
  }
  return found;
};

/**
 * Finds `count` adjacent free seats near the front and the centre, without leaving a single seat; undefined if no row
 * has enough. `rank` selects the rank-th best (0: the best), so that concurrent requests choose different ones.
 */
export function findBestBlock(
  free: readonly FreeSeat[],
  count: number,
  seatsInRow: (row: number) => number,
  rank = 0,
): readonly string[] | undefined {
  const blocks = runs(free)
    .filter(({ seats }) => seats.length >= count)
    .flatMap((run) => blocksOf(run, count, seatsInRow))
    .sort((left, right) => left.score - right.score);
  return blocks[Math.min(rank, blocks.length - 1)]?.ids;
}

const blocksOf = ({ row, seats }: Run, count: number, seatsInRow: (row: number) => number): Block[] =>
  Array.from({ length: seats.length - count + 1 }, (_, start) => {
    const ids = seats.slice(start, start + count).map(({ id }) => id);
    const first = toSeatPosition(seats[start]?.order ?? 0);
    const offCentre = Math.abs(first + (count - 1) / 2 - (seatsInRow(row) + 1) / 2);
    const orphans = [start, seats.length - count - start].filter((left) => left === 1).length;
    return { ids, score: row * ROW_WORTH + offCentre + orphans * ORPHAN_COST };
  });
