// Where the arrow keys lead, across rows and areas: by where seats are, not by their names.

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** A seat aside counts as three times as far as one straight on. */
const ASIDE = 3;

/**
 * The seat that an arrow key moves to: the nearest in its direction, those within 45° first; undefined at the edge of
 * the hall.
 */
const neighbour = (seats, from, [towardsX, towardsY]) => {
  let best;
  let cost = Infinity;
  let isStraight = false;
  for (const seat of seats) {
    const [x, y] = [seat.x - from.x, seat.y - from.y];
    const along = x * towardsX + y * towardsY;
    if (along <= 1e-6) continue;
    const across = Math.abs(x * towardsY) + Math.abs(y * towardsX);
    const straight = across <= along;
    const own = along + ASIDE * across;
    if (straight === isStraight ? own >= cost : isStraight) continue;
    best = seat;
    cost = own;
    isStraight = straight;
  }
  return best;
};

const rowOf = ({ areas }, seat) =>
  areas.find(({ id }) => id === seat.areaId)?.rows.find(({ name }) => name === seat.row)?.seats ?? [seat];

/** The first seat of the area before or after; the same seat where there is none. */
const inNextArea = (hall, seat, step) => {
  const areas = hall.areas.filter(({ rows }) => rows.length > 0);
  const at = areas.findIndex(({ id }) => id === seat.areaId);
  return (areas[at + step] ?? areas[at]).rows[0].seats[0];
};

/**
 * The seat that a key moves to: arrows in space, Home and End within the row (with Ctrl: the hall), Page Up and Down to
 * other areas. Undefined for other keys and at the edge.
 */
export const seatForKey = (hall, seat, key, far) => {
  if (key in DIRECTIONS) return neighbour(hall.seats, seat, DIRECTIONS[key]);
  if (key === 'Home') return far ? hall.seats[0] : rowOf(hall, seat)[0];
  if (key === 'End') return far ? hall.seats.at(-1) : rowOf(hall, seat).at(-1);
  if (key === 'PageUp') return inNextArea(hall, seat, -1);
  if (key === 'PageDown') return inNextArea(hall, seat, 1);
  return undefined;
};
