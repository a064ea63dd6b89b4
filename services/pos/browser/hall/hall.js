// The hall that a plan draws, made of the seat map that the API returns, and the best seats in it.

/** How many numbers each command of an SVG path takes. */
const SIZES = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, Q: 4, T: 2, A: 7, Z: 0 };

const TOKEN = /([MLHVCSQTAZ])|(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)/gi;

/** The points at which the commands of an SVG path end, which are about its extent. */
export function pointsOf(path) {
  let [x, y] = [0, 0];
  return commandsOf(path).flatMap(({ letter, numbers }) => {
    const isRelative = letter === letter.toLowerCase();
    const kind = letter.toUpperCase();
    if (kind === 'Z' || numbers.length < SIZES[kind]) return [];
    const [toX, toY] =
      kind === 'H' ? [numbers[0], undefined] : kind === 'V' ? [undefined, numbers[0]] : numbers.slice(-2);
    x = (toX ?? (isRelative ? 0 : x)) + (isRelative ? x : 0);
    y = (toY ?? (isRelative ? 0 : y)) + (isRelative ? y : 0);
    return [{ x, y }];
  });
}

/** The commands of a path with their numbers; a command that is repeated without its letter appears again. */
const commandsOf = (path) => {
  const commands = [];
  for (const [, letter, number] of path.matchAll(TOKEN)) {
    if (letter) commands.push({ letter, numbers: [] });
    else commands.at(-1)?.numbers.push(Number(number));
  }
  return commands.flatMap(({ letter, numbers }) =>
    chunk(numbers, SIZES[letter.toUpperCase()]).map((own) => ({ letter, numbers: own })),
  );
};

const chunk = (numbers, size) =>
  Array.from({ length: Math.max(1, Math.floor(numbers.length / Math.max(1, size))) }, (_, index) =>
    numbers.slice(index * size, (index + 1) * size),
  );

/**
 * @typedef {{id: string, areaId: string, areaName: string, row: string, number: string, label: string, x: number, y:
 * number, depth: number, free: boolean, category: object}} Seat
 */

const byNumber = new Intl.Collator('en', { numeric: true });

/** The number of a seat in its row: its label without the row. */
export function numberOf({ row, label }) {
  return row && label.startsWith(row) && label.length > row.length
    ? label.slice(row.length).replace(/^[\s-]+/, '')
    : label;
}

const EMPTY = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };

/** The smallest box around points; of none, the given one. */
export function boxOf(points, around = EMPTY) {
  return points.reduce(
    (box, { x, y }) => ({
      left: Math.min(box.left, x),
      top: Math.min(box.top, y),
      right: Math.max(box.right, x),
      bottom: Math.max(box.bottom, y),
    }),
    around,
  );
}

/**
 * The hall of a seat map. `categories`: those of the performance that this visitor can buy; seats of others are taken.
 * An area without seats has places without numbers.
 */
export function hallOf({ stage: { x: left, y: edge, width }, areas, seats }, categories) {
  const byId = new Map(categories.map((category, rank) => [category.id, { ...category, rank }]));
  const placed = Object.entries(seats).map(([id, { areaId, row, label, x, y, free }]) => ({
    id,
    areaId,
    row: row ?? '',
    number: numberOf({ row, label }),
    label,
    x,
    y,
    free,
  }));
  const seatsOf = Map.groupBy(placed, ({ areaId }) => areaId);
  const shown = areas.map(({ id, name, seatCategoryId, outline }) => {
    const category = byId.get(seatCategoryId);
    const own = seatsOf.get(id) ?? [];
    for (const seat of own) {
      seat.category = category;
      seat.areaName = areas.length > 1 ? name : '';
      seat.free = seat.free && category !== undefined;
    }
    const rows = rowsOf(own);
    // The same for all of a row: the ends of a curved one are closer to the stage, and no better for it.
    for (const row of rows) {
      const depth = mean(row.seats.map(({ y }) => y));
      for (const seat of row.seats) seat.depth = depth;
    }
    return { id, name, outline, category, seats: own, rows };
  });
  const all = shown.flatMap(({ rows }) => rows.flatMap((row) => row.seats));
  const pitch = Math.min(...shown.filter(({ rows }) => rows.length > 0).map(({ rows }) => pitchOf(rows)), Infinity);
  const step = Number.isFinite(pitch) ? pitch : 1;
  for (const area of shown) area.box = boxOf(pointsOf(area.outline), grown(boxOf(area.seats), step * 0.7));
  const around = boxOf(
    shown.flatMap(({ box }) => [
      { x: box.left, y: box.top },
      { x: box.right, y: box.bottom },
    ]),
  );
  // Room for the name of the stage.
  const above = Math.max(step * 1.5, (around.bottom - around.top) * 0.08);
  const near = gridOf(all, step * 2);
  return {
    stage: { x: left + width / 2, y: edge, width },
    pitch: step,
    areas: shown,
    seats: all,
    /** Those that this visitor can buy on the plan. */
    categories: [...byId.values()].filter((category) => shown.some((area) => area.category === category)),
    byId: new Map(all.map((seat) => [seat.id, seat])),
    box: grown(
      boxOf(
        [
          { x: left, y: edge - above },
          { x: left + width, y: edge },
        ],
        around,
      ),
      step,
    ),
    /** The nearest seat to a point within `reach`; undefined without one. */
    seatAt: (point, reach = step * 0.5) =>
      near(point, reach)
        .map((seat) => ({ seat, away: distance(seat, point) }))
        .filter(({ away }) => away <= reach)
        .toSorted((a, b) => a.away - b.away)[0]?.seat,
    /** The smallest area around a point. */
    areaAt: (point) => shown.filter(({ box }) => isIn(box, point)).toSorted((a, b) => sizeOf(a.box) - sizeOf(b.box))[0],
  };
}

const rowsOf = (seats) =>
  [...Map.groupBy(seats, ({ row }) => row)]
    .toSorted(([a], [b]) => byNumber.compare(a, b))
    .map(([name, those]) => ({ name, seats: those }));

const mean = (numbers) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

/** The distance between neighbouring seats, by which seats are drawn without touching: a low one of all. */
const pitchOf = (rows) => {
  const gaps = rows
    .flatMap(({ seats }) => seats.slice(1).map((seat, index) => distance(seat, seats[index])))
    .filter((gap) => gap > 0)
    .toSorted((a, b) => a - b);
  const across = rows
    .slice(1)
    .map((row, index) => Math.min(...rows[index].seats.map((seat) => distance(seat, row.seats[0]))));
  const apart = across.filter((gap) => gap > 0).toSorted((a, b) => a - b);
  const low = (sorted) => sorted[Math.floor(sorted.length / 20)] ?? Infinity;
  const least = Math.min(low(gaps), low(apart));
  return Number.isFinite(least) ? least : 1;
};

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);

const grown = ({ left, top, right, bottom }, by) => ({
  left: left - by,
  top: top - by,
  right: right + by,
  bottom: bottom + by,
});

/** Seats by squares of the hall, so that the seats near a point are found without a look at all of them. */
const gridOf = (seats, size) => {
  const keyOf = (column, line) => column * 100_000 + line;
  const squares = Map.groupBy(seats, ({ x, y }) => keyOf(Math.floor(x / size), Math.floor(y / size)));
  return ({ x, y }, reach) => {
    const found = [];
    for (let column = Math.floor((x - reach) / size); column <= Math.floor((x + reach) / size); column += 1) {
      for (let line = Math.floor((y - reach) / size); line <= Math.floor((y + reach) / size); line += 1) {
        found.push(...(squares.get(keyOf(column, line)) ?? []));
      }
    }
    return found;
  };
};

const isIn = ({ left, top, right, bottom }, { x, y }) => x >= left && x <= right && y >= top && y <= bottom;

const sizeOf = ({ left, top, right, bottom }) => (right - left) * (bottom - top);

/** Seats further apart than this many times the usual distance have an aisle between them. */
const AISLE = 1.7;
/** What a seat that is left alone counts, in distances between seats. */
const LONELY = 2;
/** What a distance aside counts, where one further from the stage counts 1. */
const ASIDE = 0.5;

/** So many starting points are looked at: the nearest to the stage. */
const STARTS = 200;

/**
 * The best `count` free seats of a category, or of all: neighbours in a row, else those closest together
 * (`together` is false); empty if there are not so many.
 */
export function bestSeats(hall, count, { categoryId, isFree = ({ free }) => free } = {}) {
  const rows = hall.areas
    .filter(({ category }) => category && (categoryId === undefined || category.id === categoryId))
    .flatMap((area) => area.rows);
  const best = cheapest(groupsOf(hall, rows, count, isFree));
  if (best) return { seats: best.seats, together: true };
  const free = rows.flatMap(({ seats }) => seats.filter(isFree)).toSorted((a, b) => costOf(hall, a) - costOf(hall, b));
  return { seats: closest(hall, free.slice(0, Math.max(STARTS, count)), count), together: false };
}

const cheapest = (groups) =>
  groups.reduce((best, group) => (best === undefined || group.cost < best.cost ? group : best), undefined);

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

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

const costOf = ({ stage }, { x, depth }) => Math.abs(depth - stage.y) + Math.abs(x - stage.x) * ASIDE;

/** The `count` free seats that are closest together, around the best of them. */
const closest = (hall, free, count) => {
  if (free.length < count) return [];
  const groups = free.map((seat) => {
    const seats = free.toSorted((a, b) => distance(a, seat) - distance(b, seat)).slice(0, count);
    return { seats, cost: Math.max(...seats.map((one) => distance(one, seat))) * 3 + costOf(hall, seat) };
  });
  return cheapest(groups).seats;
};
