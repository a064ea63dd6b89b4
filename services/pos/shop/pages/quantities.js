import { h, newId } from '../dom.js';
import { money } from '../format.js';
import { t } from '../texts/index.js';

const FEW = 10;

/** What is left of a category. */
const stockOf = ({ type }, { free: count }) => {
  if (count === 0) return t('soldOut', { type });
  return count <= FEW ? t('placesLeft', { type, count }) : t('placesFree');
};

/**
 * The choice of quantities: a stepper for each fare of each category. `basket.room()` is how many more may be chosen;
 * `onSum({count, amount})` is called after each change.
 */
export const quantities = ({ product, categories, currency, basket, onSum }) => {
  const rows = [];
  const sum = (those, of) => those.reduce((all, row) => all + of(row), 0);
  const count = (those) => sum(those, ({ taken }) => taken);

  const changed = () => onSum({ count: count(rows), amount: sum(rows, ({ taken, price }) => taken * price.amount) });

  /** How many a fare may have: the category's free places and the limit of the order bound them all together. */
  const mostOf = (row) => {
    const inCategory = count(rows.filter(({ category }) => category === row.category));
    return row.taken + Math.max(0, Math.min(row.category.free - inCategory, basket.room()));
  };

  const rowOf = (category, price) => {
    const id = newId('quantity');
    const name = [price.tariff, categories.length > 1 && category.name].filter(Boolean).join(', ');
    const field = h('input', { id, type: 'number', inputmode: 'numeric', min: 0, step: 1, value: '0' });
    const step = (text, sign, by) =>
      h(
        'button',
        { type: 'button', 'aria-label': t(text, { tariff: name }), onclick: () => take(row.taken + by) },
        sign,
      );
    const [less, more] = [step('less', '−', -1), step('more', '+', 1)];
    const take = (wanted) => {
      const whole = Number.isInteger(wanted) ? Math.max(0, wanted) : 0;
      const most = mostOf(row);
      if (whole > most && basket.room() <= most - row.taken) basket.refuse();
      row.taken = Math.min(whole, most);
      field.value = String(row.taken);
      changed();
    };
    field.addEventListener('change', () => take(Number(field.value)));
    const row = {
      category,
      price,
      taken: 0,
      showBounds() {
        const most = mostOf(row);
        field.max = most;
        // The attribute `disabled` would drop the focus of a pressed button.
        less.setAttribute('aria-disabled', `${row.taken === 0}`);
        more.setAttribute('aria-disabled', `${row.taken >= most}`);
      },
    };
    rows.push(row);
    return h(
      'div',
      { class: 'tariff' },
      h('label', { for: id, class: 'tariff-name' }, price.tariff),
      h('span', { class: 'tariff-price' }, money(price.amount, currency)),
      h('span', { class: 'stepper' }, less, field, more),
    );
  };

  const node = h(
    'div',
    { class: 'quantities' },
    categories.map((category) =>
      h(
        'fieldset',
        { class: `tariffs${category.free === 0 ? ' is-out' : ''}` },
        h(
          'legend',
          { class: 'tariffs-head' },
          h('span', { class: 'category-name' }, category.name),
          ' ',
          h('span', { class: 'category-stock' }, stockOf(product, category)),
        ),
        category.prices.map((price) => rowOf(category, price)),
      ),
    ),
  );
  const groups = () =>
    rows
      .filter(({ taken }) => taken > 0)
      .map(({ category, price, taken }) => ({
        name: `${category.name}, ${price.tariff}`,
        item: { seatCategoryId: category.id, tariffId: price.tariffId, quantity: taken },
      }));
  const showBounds = () => {
    for (const row of rows) row.showBounds();
  };
  return { node, groups, showBounds, leave: () => {} };
};
