import { h, newId } from '../dom.js';
import { isConfined, link, linkToWhole } from '../frame.js';
import { badge, fillPosters } from '../poster.js';
import { productOf } from '../state.js';
import { dayParts, isShow, shortDay, t, time } from '../texts/index.js';
import { choicePanel } from './choice.js';
import { showArticle } from './show-head.js';

/** One product: its description, its dates, and the choice of places. */
export async function showPage([id], _query, { first, drawn }) {
  const product = first ?? (await productOf(id, { fresh: true }));
  const { performances } = product;
  const isNumbered = performances.some((one) => one.seatCategories.some(({ numbered }) => numbered));
  const { seatMap } = isNumbered ? await import('./seat-map.js') : {};
  const free = performances.filter(isFree);
  const panel = h('div', { class: 'panel' });
  let shown;

  const choose = (performance) => {
    shown?.leave();
    shown = choicePanel(product, performance, seatMap);
    panel.replaceChildren(shown.node);
  };

  const isSold = product.availability === 'sold_out' || free.length === 0;
  const choices = () => {
    if (!product.onSale) return notOnSale();
    if (isSold) return soldOut(product);
    if (isConfined()) return inWholeWindow(product);
    choose(free[0]);
    const [only] = performances;
    const when = performances.length === 1 && isShow(product.type);
    return [
      performances.length > 1 && dateChoice(performances, free[0].id, choose),
      when && h('p', { class: 'only-date' }, `${shortDay(only.localStartDate)}, ${time(only)}`),
      panel,
    ];
  };
  const node = first && drawn ? drawn : showArticle(product);
  const chosen = h('div', { class: 'wrap choices' }, [choices()].flat(Infinity).filter(Boolean));
  node.querySelector('.show-head').after(chosen);
  fillPosters(node);
  return { title: product.name, node, leave: () => shown?.leave() };
}

const notOnSale = () =>
  h('section', { class: 'message-box' }, h('h2', {}, t('notOnSale')), h('p', {}, t('notOnSaleText')));

const soldOut = ({ type }) =>
  h(
    'section',
    { class: 'message-box' },
    h('h2', {}, t('soldOut', { type })),
    h('p', {}, t('soldOutText', { type })),
    h('a', { class: 'button button-quiet', href: link('/') }, t('toProgramme')),
  );

const inWholeWindow = ({ id, type }) => {
  const href = linkToWhole(`/show/${encodeURIComponent(id)}`);
  return h('a', { class: 'button', href, target: '_top' }, t('choosePlaces', { type }));
};

/** Whether places of the performance can be bought now. */
export function isFree({ availability, onSale }) {
  return availability !== 'sold_out' && onSale;
}

/** The choice of one of these performances. */
export function dateChoice(performances, chosen, choose) {
  const group = newId('performance');
  return h(
    'fieldset',
    { class: 'dates' },
    h('legend', {}, h('h2', {}, t('chooseDate'))),
    h(
      'div',
      { class: 'date-list' },
      performances.map((one) => dateOption(one, chosen, choose, group)),
    ),
  );
}

const dateOption = (performance, chosen, choose, group) => {
  const { id, localStartDate, availability } = performance;
  const { day, month, weekday } = dayParts(localStartDate);
  return h(
    'label',
    { class: `date${availability === 'sold_out' ? ' is-out' : ''}` },
    h('input', {
      type: 'radio',
      name: group,
      value: id,
      checked: chosen === id,
      disabled: !isFree(performance),
      onchange: () => choose(performance),
    }),
    h('span', { class: 'date-day' }, day),
    ' ',
    h(
      'span',
      { class: 'date-rest' },
      h('span', { class: 'date-month' }, month),
      ' ',
      h(
        'span',
        { class: 'date-time' },
        [weekday, time(performance), performance.venue?.name].filter(Boolean).join(' · '),
      ),
    ),
    ' ',
    badge(performance),
  );
};
