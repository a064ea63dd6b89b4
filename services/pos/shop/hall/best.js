// The best available seats: side by side, near the middle of the stage, and no single seat left behind.

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

/** Seats further apart than this many times the usual distance have an aisle between them. */
const AISLE = 1.7;
/** What a seat that is left alone counts, in distances between seats. */
const LONELY = 2;
/** A row behind is a little worse than a seat further aside. */
const ASIDE = 0.8;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** The runs of free seats side by side in a row. */
const runsOf = (seats, isFree) => {
  const gaps = seats.slice(1).map((seat, index) => distance(seat, seats[index]));
  const usual = median(gaps);
  const runs = [[]];
  for (const [index, seat] of seats.entries()) {
    if (index > 0 && gaps[index - 1] > usual * AISLE) runs.push([]);
    if (isFree(seat)) runs.at(-1).push(seat);
    else runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
};

const costOf = ({ stage }, seat) => Math.hypot((seat.x - stage.x) * ASIDE, seat.y - stage.y);

const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** All groups of `count` seats side by side with their costs. */
const groupsOf = (hall, rows, count, isFree) =>
  rows.flatMap(({ seats }) =>
    runsOf(seats, isFree).flatMap((run) =>
      Array.from({ length: Math.max(0, run.length - count + 1) }, (_, start) => {
        const chosen = run.slice(start, start + count);
        const rest = [start, run.length - start - count].filter((left) => left === 1).length;
        return { seats: chosen, cost: mean(chosen.map((seat) => costOf(hall, seat))) + rest * LONELY * hall.pitch };
      }),
    ),
  );

const cheapest = (groups) =>
  groups.reduce((best, group) => (best === undefined || group.cost < best.cost ? group : best), undefined);

/** The `count` free seats that are closest together, around the best of them. */
const closest = (hall, free, count) => {
  if (free.length < count) return [];
  const groups = free.map((seat) => {
    const seats = free.toSorted((a, b) => distance(a, seat) - distance(b, seat)).slice(0, count);
    return { seats, cost: Math.max(...seats.map((one) => distance(one, seat))) * 3 + costOf(hall, seat) };
  });
  return cheapest(groups).seats;
};

/** So many starting points are looked at: the nearest to the stage. */
const STARTS = 200;

/**
 * The best `count` free seats of a category, or of all: neighbours in a row, else those closest together
 * (`together` is false); empty if there are not so many.
 */
export const bestSeats = (hall, count, { categoryId, isFree = ({ free }) => free } = {}) => {
  const rows = hall.areas
    .filter(({ category }) => category && (categoryId === undefined || category.id === categoryId))
    .flatMap((area) => area.rows);
  const best = cheapest(groupsOf(hall, rows, count, isFree));
  if (best) return { seats: best.seats, together: true };
  const free = rows.flatMap(({ seats }) => seats.filter(isFree)).toSorted((a, b) => costOf(hall, a) - costOf(hall, b));
  return { seats: closest(hall, free.slice(0, Math.max(STARTS, count)), count), together: false };
};
