import { h } from '../dom.js';
import { money } from '../format.js';
import { seatName } from '../hall/list.js';
import { t } from '../texts/index.js';

/** The chosen seats, each with its fare. `change(seat, tariffId)` and `remove(seat)` are the visitor's. */
export const chosenList = ({ currency, change, remove }) => {
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
      shown = next;
      node.replaceChildren(...entries.map(row));
    },
  };
};
