import { h, newId } from '../dom.js';
import { money } from '../format.js';
import { t } from '../texts/index.js';

/** The most places of a category at once; every point of sale sells fewer. */
const MOST = 20;

/** The choice of a quantity per tariff. */
export const quantities = ({ category, currency, onSum }) => {
  const wanted = new Map(category.prices.map(({ tariffId }) => [tariffId, 0]));
  const most = Math.min(MOST, category.free);
  const count = () => [...wanted.values()].reduce((sum, one) => sum + one, 0);
  /** What more of each tariff can be chosen changes with the others. */
  const bounds = [];

  const total = () => {
    const amount = category.prices.reduce((sum, price) => sum + price.amount * (wanted.get(price.tariffId) ?? 0), 0);
    for (const show of bounds) show();
    onSum({ count: count(), amount });
  };

  const row = ({ tariffId, tariff, amount }) => {
    const id = newId('quantity');
    const field = h('input', { id, type: 'number', inputmode: 'numeric', min: 0, max: most, step: 1, value: '0' });
    const less = h(
      'button',
      { type: 'button', 'aria-label': t('less', { tariff }), 'aria-disabled': 'true', onclick: () => set(-1) },
      '−',
    );
    const more = h(
      'button',
      { type: 'button', 'aria-label': t('more', { tariff }), 'aria-disabled': `${most === 0}`, onclick: () => set(1) },
      '+',
    );
    const room = () => most - (count() - wanted.get(tariffId));
    bounds.push(() => {
      const taken = wanted.get(tariffId);
      field.max = room();
      // The attribute `disabled` would drop the focus of a pressed button.
      less.setAttribute('aria-disabled', `${taken === 0}`);
      more.setAttribute('aria-disabled', `${taken >= room()}`);
    });
    const take = (value) => {
      const taken = Math.max(0, Math.min(room(), Number.isInteger(value) ? value : 0));
      field.value = String(taken);
      wanted.set(tariffId, taken);
      total();
    };
    const set = (step) => take(Number(field.value) + step);
    field.addEventListener('change', () => take(Number(field.value)));
    return h(
      'div',
      { class: 'tariff' },
      h('label', { for: id, class: 'tariff-name' }, tariff),
      h('span', { class: 'tariff-price' }, money(amount, currency)),
      h('span', { class: 'stepper' }, less, field, more),
    );
  };

  const groups = () =>
    [...wanted].filter(([, quantity]) => quantity > 0).map(([tariffId, quantity]) => ({ tariffId, quantity }));
  return { node: h('div', { class: 'tariffs' }, category.prices.map(row)), groups };
};
