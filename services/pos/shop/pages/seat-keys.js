/** The seat of a row that is nearest to a horizontal position. */
const nearest = (row, x) => {
  const distance = (seat) => Math.abs(seat.getBoundingClientRect().left - x);
  return [...row.querySelectorAll('button')].toSorted((a, b) => distance(a) - distance(b))[0];
};

/** The seat that an arrow key, Home or End moves to. */
const targetOf = (map, seat, key, far) => {
  const row = seat.closest('[role=row]');
  const seats = [...row.querySelectorAll('button')];
  const all = [...map.querySelectorAll('button')];
  const at = seats.indexOf(seat);
  const vertical = (other) => other && nearest(other, seat.getBoundingClientRect().left);
  switch (key) {
    case 'ArrowRight':
      return seats[at + 1];
    case 'ArrowLeft':
      return seats[at - 1];
    case 'ArrowDown':
      return vertical(row.nextElementSibling);
    case 'ArrowUp':
      return vertical(row.previousElementSibling);
    case 'Home':
      return far ? all[0] : seats[0];
    case 'End':
      return far ? all.at(-1) : seats.at(-1);
    default:
      return undefined;
  }
};

/** Moves the focus in the grid of seats; the grid is one tab stop. */
export const moveFocus = (map, event) => {
  const seat = event.target.closest('button');
  if (!seat) return;
  const target = targetOf(map, seat, event.key, event.ctrlKey);
  if (event.key.startsWith('Arrow') || target) event.preventDefault();
  if (!target) return;
  for (const other of map.querySelectorAll('[tabindex="0"]')) other.setAttribute('tabindex', '-1');
  target.setAttribute('tabindex', '0');
  target.focus();
};
