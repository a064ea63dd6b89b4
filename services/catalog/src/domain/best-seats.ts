import { rowOf } from './place.ts';

/** A free numbered seat, as the choice needs it. */
export interface FreeSeat {
  readonly id: string;
  readonly order: number;
  readonly seat: number | null;
}

interface Block {
  readonly ids: readonly string[];
  readonly score: number;
}

interface Run {
  readonly row: number;
  readonly seats: readonly FreeSeat[];
}

/** Seats side by side: the same row, numbers without a gap. */
const runs = (free: readonly FreeSeat[]): Run[] => {
  const sorted = [...free].sort((left, right) => left.order - right.order);
  const found: { row: number; seats: FreeSeat[] }[] = [];
  for (const seat of sorted) {
    const run = found.at(-1);
    const last = run?.seats.at(-1);
    if (run && last && last.order + 1 === seat.order) run.seats.push(seat);
    else found.push({ row: rowOf(seat.order), seats: [seat] });
  }
  return found;
};

/** A block one row nearer is as good as one that is so many seats more central. */
const ROW_WORTH = 8;
/** A single free seat left alone beside the block is hard to sell. */
const ORPHAN_COST = 3;

const blocksOf = ({ row, seats }: Run, count: number, seatsInRow: (row: number) => number): Block[] =>
  Array.from({ length: seats.length - count + 1 }, (_, start) => {
    const ids = seats.slice(start, start + count).map(({ id }) => id);
    const first = seats[start]?.seat ?? 0;
    const offCentre = Math.abs(first + (count - 1) / 2 - (seatsInRow(row) + 1) / 2);
    const orphans = [start, seats.length - count - start].filter((left) => left === 1).length;
    return { ids, score: row * ROW_WORTH + offCentre + orphans * ORPHAN_COST };
  });

/** In as few groups as possible: always the longest run that is left, the nearer one if several are as long. Undefined if fewer are free. */
export const fewestGroups = (free: readonly FreeSeat[], count: number): readonly string[] | undefined => {
  if (free.length < count) return undefined;
  const longest = runs(free).sort((left, right) => right.seats.length - left.seats.length || left.row - right.row);
  return longest
    .flatMap(({ seats }) => seats)
    .slice(0, count)
    .map(({ id }) => id);
};

/**
 * The best free seats side by side for `count` people: near the front and the middle, leaving no single seat alone. Undefined
 * if no row has so many. `rank` takes the rank-th best block instead (0: the best), so that those who want the same
 * seats at the same time do not all try the same ones.
 */
export const bestBlock = (
  free: readonly FreeSeat[],
  count: number,
  seatsInRow: (row: number) => number,
  rank = 0,
): readonly string[] | undefined => {
  const blocks = runs(free)
    .filter(({ seats }) => seats.length >= count)
    .flatMap((run) => blocksOf(run, count, seatsInRow))
    .sort((left, right) => left.score - right.score);
  return blocks[Math.min(rank, blocks.length - 1)]?.ids;
};
