// What prices are made of: discounts, fees and taxes of an item, and of a whole cart or order.
import { h } from '../dom.js';
import { money, percent, t, typeOf } from '../texts/index.js';

/** The price of an item, and what comes to it or goes off it; undefined if that is nothing. */
export function itemComposition({ base, components }, currency) {
  if (components.length === 0) return undefined;
  return h('dl', { class: 'composition' }, [{ name: t('price'), amount: base }, ...components].map(partRow(currency)));
}

/** What all items cost before discounts and fees, what these come to, the total, and the taxes in it. */
export function totalComposition({ items, fees, taxes, total, currency }) {
  const sold = Object.values(items);
  const all = sold.flatMap(({ components }) => components).toSorted(compareKinds);
  const byId = Map.groupBy([...all, ...fees], ({ id }) => id);
  const parts = [...byId.values()].map((those) => ({ name: those[0].name, amount: sum(those, 'amount') }));
  const first = { name: t('things', { type: typeOf(sold), count: sold.length }), amount: sum(sold, 'base') };
  return h(
    'dl',
    { class: 'composition' },
    [first, ...parts].map(partRow(currency)),
    h('div', { class: 'total' }, h('dt', {}, t('total')), h('dd', {}, money(total, currency))),
    taxes
      .filter(({ rate }) => rate !== null)
      .map(({ rate, tax }) => partRow(currency)({ name: t('includedTax', { rate: percent(rate) }), amount: tax })),
  );
}

/** Parts with their sum. */
export function partsList(parts, { name, amount }, currency) {
  return h(
    'dl',
    { class: 'composition' },
    parts.map(partRow(currency)),
    h('div', { class: 'total' }, h('dt', {}, name), h('dd', {}, money(amount, currency))),
  );
}

/** Discounts first, as on each item. */
const compareKinds = (one, other) => Number(one.kind === 'fee') - Number(other.kind === 'fee');

const sum = (all, member) => all.reduce((so, one) => so + one[member], 0);

const partRow =
  (currency) =>
  ({ name, amount }) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, money(amount, currency)));

/** More of them are shown on demand. */
const FEW = 3;

/** What may be done with places after the sale, each sentence once; with the tariff where there are several. */
export function returnTexts(sold) {
  const texts = Map.groupBy(
    sold.filter(({ returnText }) => returnText),
    ({ returnText }) => returnText,
  );
  const all = [...texts].map(([text, [{ tariff: label }]]) =>
    h('p', { class: 'small' }, texts.size > 1 ? t('labelled', { label, text }) : text),
  );
  return all.length > FEW ? h('details', {}, h('summary', { class: 'small' }, t('changeOrder')), all) : all;
}
