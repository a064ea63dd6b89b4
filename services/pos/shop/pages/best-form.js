import { h, newId } from '../dom.js';
import { t } from '../texts/index.js';

/** No more neighbours than these are looked for at once. */
const MOST = 10;

/** The choice of the best available seats. `chooseBest(count, categoryId)` returns what it says about them. */
export const bestForm = ({ categories, most, chooseBest }) => {
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
};
