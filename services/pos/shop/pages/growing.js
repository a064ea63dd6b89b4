import { h } from '../dom.js';
import { act } from '../notices.js';
import { t } from '../texts/index.js';

const SIZE = 20;

/** A list with a “show more” button. `from`: the records, or a function that loads a page. Returns the nodes. */
export const growing = async (from, draw, className) => {
  const load = Array.isArray(from)
    ? ({ offset, limit }) => ({ records: from.slice(offset, offset + limit), total: from.length })
    : from;
  const list = h('ul', { class: className });
  const more = h('button', { type: 'button', class: 'button button-quiet' }, t('showMore'));
  let count = 0;
  const next = async () => {
    const { records, total } = await load({ offset: count, limit: SIZE });
    const drawn = await Promise.all(records.map(draw));
    count += records.length;
    list.append(...drawn);
    more.hidden = count >= total || records.length === 0;
    return drawn[0];
  };
  more.addEventListener('click', () =>
    act(more, async () => {
      const first = await next();
      // The button may be hidden now: the first new record gets the focus.
      first?.querySelector('a, summary')?.focus();
    }),
  );
  await next();
  return [list, more];
};
