import { h, svg } from '../dom.js';
import { money } from '../format.js';
import { CHECK, CROSS, colourOf, shapeOf } from '../hall/painter.js';
import { t } from '../texts/index.js';

/** The prices of a category: one, or from the lowest to the highest. */
export const pricesOf = ({ prices }, currency) => {
  const amounts = prices.map(({ amount }) => amount);
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)];
  return low === high
    ? money(low, currency)
    : t('priceRange', { low: money(low, currency), high: money(high, currency) });
};

const sample = (name, ...paths) =>
  svg('svg', { class: `seat-sample ${name}`, viewBox: '-1.4 -1.4 2.8 2.8', 'aria-hidden': 'true' }, paths);

const shape = (rank) => svg('path', { class: 'shape', d: shapeOf(rank) });
const states = () => [
  ['chosen', sample('is-chosen', shape(0), svg('path', { class: 'line', d: CHECK }))],
  ['own', sample('is-own', shape(0), svg('path', { class: 'line', d: CHECK }))],
  ['taken', sample('is-taken', svg('path', { class: 'line', d: CROSS }))],
];

/** How many places of a category are free on the plan. */
export const freeOf = (hall, stateOf, category) =>
  category.numbered
    ? hall.seats.filter((seat) => seat.category === category && stateOf(seat) === 'free').length
    : category.free;

/** What the colours and shapes of a plan mean: the categories with their prices and free places, and the states. */
export const legend = (hall, stateOf, currency) => {
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
};
