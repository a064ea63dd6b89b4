// The seats of a hall as buttons: area, row, seat. It is what screen readers and keyboards use; the picture shows the
// same and is hidden from them.
import { h, newId } from '../dom.js';
import { t } from '../texts/index.js';

/** Halls with more seats begin with closed areas: a button for each of thousands of seats takes long to make. */
const FEW = 400;
/** So many rows are made at once. */
const PART = 4;

/** The name of a seat. */
export function seatName({ row, number, label }) {
  return row ? t('seatName', { row, seat: number }) : label;
}

/** The same with its area, where the hall has several. */
export function fullName(seat) {
  return [seat.areaName, seatName(seat)].filter(Boolean).join(', ');
}

/** Where the arrow keys lead, across rows and areas: by where seats are, not by their names. */
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const { abs } = Math;

/** A seat aside counts as three times as far as one straight on. */
const ASIDE = 3;

/**
 * The seat that a key moves to: arrows in space, Home and End within the row (with Ctrl: the hall), Page Up and Down to
 * other areas. Undefined for other keys and at the edge.
 */
export function seatForKey(hall, seat, key, far) {
  if (key in DIRECTIONS) return neighbour(hall.seats, seat, DIRECTIONS[key]);
  if (key === 'Home') return far ? hall.seats[0] : rowOf(hall, seat)[0];
  if (key === 'End') return far ? hall.seats.at(-1) : rowOf(hall, seat).at(-1);
  if (key === 'PageUp') return inNextArea(hall, seat, -1);
  if (key === 'PageDown') return inNextArea(hall, seat, 1);
  return undefined;
}

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
    // One of the two is 0.
    const across = abs(x * towardsY + y * towardsX);
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
 * The list of a hall: one tab stop, keys inside. `on`: choose(seat), focus(seat), blur(), key(key), which returns
 * whether it was one of the picture's. `describe` is the id of the text that describes the focused seat.
 */
export function listOf(hall, { stateOf, captionOf, describe, on }) {
  const buttons = new Map();
  const sections = new Map();
  const areas = hall.areas.filter(({ rows }) => rows.length > 0);
  let stop;

  const label = (seat) => {
    const button = buttons.get(seat.id);
    if (!button) return;
    const state = stateOf(seat);
    const name = `${seatName(seat)}, ${t(`seat_${state}`)}`;
    if (button.getAttribute('aria-label') === name) return;
    button.className = `seat is-${state}`;
    button.setAttribute('aria-label', name);
    button.setAttribute('aria-pressed', `${state === 'chosen'}`);
    button.setAttribute('aria-disabled', `${state === 'taken' || state === 'own'}`);
  };

  const seatButton = (seat) => {
    const button = h('button', { type: 'button', tabindex: -1, 'data-place': seat.id }, seat.number);
    buttons.set(seat.id, button);
    label(seat);
    return h('span', { role: 'gridcell' }, button);
  };

  const rowNode = ({ name, seats }) =>
    h(
      'div',
      { role: 'row', class: 'seat-row' },
      name !== '' && h('span', { role: 'rowheader', class: 'row-name' }, name),
      seats.map(seatButton),
    );

  /** Makes the buttons of an area up to a row; returns whether rows are left. */
  const fill = (area, upTo = area.rows.length) => {
    const { grid } = sections.get(area.id);
    grid.append(...area.rows.slice(grid.childElementCount, upTo).map(rowNode));
    return grid.childElementCount < area.rows.length;
  };

  const unfold = (area) => {
    const { button, grid } = sections.get(area.id);
    button.setAttribute('aria-expanded', 'true');
    grid.hidden = false;
  };

  /** Shows the seats of an area. */
  const open = (area) => {
    unfold(area);
    fill(area);
  };

  /** The same in parts, between which the page answers. */
  const openSlowly = (area, upTo) => {
    unfold(area);
    if (fill(area, upTo)) setTimeout(() => openSlowly(area, upTo + PART));
  };

  const toggle = (area) => {
    const { button, grid } = sections.get(area.id);
    if (grid.hidden) {
      open(area);
      return;
    }
    button.setAttribute('aria-expanded', 'false');
    grid.hidden = true;
  };

  const areaOf = ({ areaId }) => areas.find(({ id }) => id === areaId);

  const captionFor = (area) => captionOf(area).slice(1).join(' · ');

  /** Names the area anew: how many of its seats are free. */
  const caption = (area) => {
    sections.get(area.id).caption.textContent = captionFor(area);
  };

  const setStop = (seat) => {
    if (!buttons.has(seat.id)) open(areaOf(seat));
    else unfold(areaOf(seat));
    if (stop) buttons.get(stop.id).setAttribute('tabindex', '-1');
    stop = seat;
    buttons.get(seat.id).setAttribute('tabindex', '0');
  };

  const focus = (seat) => {
    setStop(seat);
    buttons.get(seat.id).focus();
  };

  const section = (area) => {
    const id = newId('area');
    const grid = h('div', {
      id,
      role: 'grid',
      class: 'seats',
      hidden: true,
      'aria-label': [t('seatMap'), area.name].filter(Boolean).join(', '),
    });
    const text = h('span', { class: 'small' }, captionFor(area));
    const button = h(
      'button',
      {
        type: 'button',
        class: 'area-button',
        'aria-expanded': 'false',
        'aria-controls': id,
        onclick: () => toggle(area),
      },
      h('span', { class: 'area-name' }, area.name || t('seatMap')),
      text,
    );
    sections.set(area.id, { button, grid, caption: text });
    return h('section', { class: 'area' }, h('h3', {}, button), grid);
  };

  const node = h('div', { class: 'seat-list' }, areas.map(section));
  const seatOf = (target) => hall.byId.get(target.closest('[data-place]')?.dataset.place);

  node.addEventListener('click', ({ target }) => {
    const seat = seatOf(target);
    if (!seat) return;
    setStop(seat);
    on.choose(seat);
  });
  node.addEventListener('focusin', ({ target }) => {
    const seat = seatOf(target);
    if (!seat) return on.blur();
    setStop(seat);
    target.setAttribute('aria-describedby', describe);
    on.focus(seat);
  });
  node.addEventListener('focusout', ({ target }) => {
    target.removeAttribute('aria-describedby');
    on.blur();
  });
  node.addEventListener('keydown', (event) => {
    const seat = seatOf(event.target);
    if (!seat || event.altKey || event.metaKey) return;
    const next = seatForKey(hall, seat, event.key, event.ctrlKey);
    if (next || event.key.startsWith('Arrow') || (!event.ctrlKey && on.key(event.key))) event.preventDefault();
    if (next) focus(next);
  });

  const isSmall = hall.seats.length <= FEW;
  if (isSmall) for (const area of areas) open(area);
  const entrance = hall.seats.find(({ free }) => free) ?? hall.seats[0];
  if (!isSmall) {
    const area = areaOf(entrance);
    openSlowly(area, area.rows.findIndex(({ name }) => name === entrance.row) + PART);
  }
  setStop(entrance);

  return {
    node,
    focus,
    /** In the picture only the seats are stops of the Tab key: the picture shows where the focus is. */
    setVisible(isVisible) {
      for (const { button } of sections.values()) button.setAttribute('tabindex', isVisible ? '0' : '-1');
    },
    /** Names the seats and areas anew after states have changed; with `seat` that one and its area. */
    update(seat) {
      for (const one of seat ? [seat] : [...buttons.keys()].map((id) => hall.byId.get(id))) label(one);
      for (const area of seat ? [areaOf(seat)] : areas) caption(area);
    },
  };
}
