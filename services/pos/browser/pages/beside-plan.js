// What stands beside a plan: its legend, the search for the best seats, and the chosen seats with their fares.
import { h, newId, svg } from '../dom.js';
import { seatName } from '../hall/list.js';
import { CHECK, CROSS, colourOf, shapeOf } from '../hall/painter.js';
import { money, t } from '../texts/index.js';

/** The prices of a category: one, or from the lowest to the highest. */
export function pricesOf({ prices }, currency) {
  const amounts = prices.map(({ amount }) => amount);
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)];
  return low === high
    ? money(low, currency)
    : t('priceRange', { low: money(low, currency), high: money(high, currency) });
}

/** How many places of a category are free on the plan. */
export function freeOf(hall, stateOf, category) {
  return category.numbered
    ? hall.seats.filter((seat) => seat.category === category && stateOf(seat) === 'free').length
    : category.free;
}

/** What the colours and shapes of a plan mean: the categories with their prices and free places, and the states. */
export function legend(hall, stateOf, currency) {
  const shown = hall.categories.map((category) => {
    const free = freeOf(hall, stateOf, category);
    return h(
      'li',
      { class: 'legend-category' },
      sample(`is-free is-colour-${colourOf(category.rank) + 1}`, shape(category.rank)),
      h('span', {}, h('strong', {}, category.name), ` ${pricesOf(category, currency)}`),
      h('span', { class: 'small' }, free === 0 ? t('soldOut') : t('seatsFree', { count: free })),
    );
  });
  const hasOwn = hall.seats.some((seat) => stateOf(seat) === 'own');
  return h(
    'ul',
    { class: 'legend', 'aria-label': t('legend') },
    shown,
    states()
      .filter(([state]) => state !== 'own' || hasOwn)
      .map(([state, picture]) => h('li', {}, picture, t(`seat_${state}`))),
  );
}

const sample = (name, ...paths) =>
  svg('svg', { class: `seat-sample ${name}`, viewBox: '-1.4 -1.4 2.8 2.8', 'aria-hidden': 'true' }, paths);

const shape = (rank) => svg('path', { class: 'shape', d: shapeOf(rank) });

const states = () => [
  ['chosen', sample('is-chosen', shape(0), svg('path', { class: 'line', d: CHECK }))],
  ['own', sample('is-own', shape(0), svg('path', { class: 'line', d: CHECK }))],
  ['taken', sample('is-taken', svg('path', { class: 'line', d: CROSS }))],
];

/** No more neighbours than these are looked for at once. */
const MOST = 10;

/** The choice of the best available seats. `chooseBest(count, categoryId)` returns what it says about them. */
export function bestForm({ categories, most, chooseBest }) {
  const count = h(
    'select',
    { id: newId('best') },
    Array.from({ length: Math.min(MOST, most) }, (_, index) =>
      h('option', { value: index + 1, selected: index === 1 }, t('bestSeats', { count: index + 1 })),
    ),
  );
  const category = h(
    'select',
    { id: newId('best'), 'aria-label': t('category') },
    h('option', { value: '' }, t('anyCategory')),
    categories.map(({ id, name }) => h('option', { value: id }, name)),
  );
  const said = h('p', { class: 'small best-said' });
  const submit = (event) => {
    event.preventDefault();
    said.textContent = chooseBest(Number(count.value), category.value || undefined) ?? '';
  };
  return h(
    'form',
    { class: 'best', onsubmit: submit },
    h('label', { for: count.id }, t('bestLabel')),
    count,
    categories.length > 1 && category,
    h('button', { class: 'button button-quiet button-small' }, t('bestButton')),
    said,
  );
}

/** The chosen seats, each with its fare. `change(seat, tariffId)` and `remove(seat)` are the visitor's. */
export function chosenList({ currency, change, remove }) {
  const node = h('ul', { class: 'chosen-seats', 'aria-label': t('chosenSeats') });

  const row = ({ seat, tariffId }) => {
    const id = `for-${seat.id}`;
    const onchange = ({ target }) => {
      change(seat, target.value);
      document.getElementById(id)?.focus();
    };
    return h(
      'li',
      {},
      h('label', { for: id }, seatName(seat), ' ', h('span', { class: 'small' }, seat.areaName || seat.category.name)),
      h(
        'select',
        { id, onchange },
        seat.category.prices.map((price) =>
          h(
            'option',
            { value: price.tariffId, selected: price.tariffId === tariffId },
            `${price.tariff} · ${money(price.amount, currency)}`,
          ),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'remove',
          'aria-label': t('removeSeat', { seat: seatName(seat) }),
          onclick: () => remove(seat),
        },
        '×',
      ),
    );
  };

  let shown = '';
  return {
    node,
    /** Shows the seats; an unchanged list keeps the focus of its controls. */
    show(entries) {
      const next = JSON.stringify(entries.map(({ seat, tariffId }) => [seat.id, tariffId]));
      if (next === shown) return;
      const hasMore = entries.length > node.childElementCount;
      shown = next;
      node.replaceChildren(...entries.map(row));
      // The last one is the seat that was chosen just now.
      if (hasMore) node.scrollTop = node.scrollHeight;
    },
  };
}
