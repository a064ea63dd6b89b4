import { h, screenReaderText } from '../dom.js';
import { number } from '../format.js';
import { t } from '../texts/index.js';

/** The linked pages: the first, the last, and the neighbours of the current one. */
const worth = (page, pages) =>
  [...new Set([1, 2, page - 1, page, page + 1, pages - 1, pages])]
    .filter((one) => one >= 1 && one <= pages)
    .toSorted((a, b) => a - b);

/** Links to the pages of a list; nothing for a single page. */
export const pagination = ({ page, pages, href }) => {
  if (pages < 2) return [];
  const shown = worth(page, pages);
  const links = shown.flatMap((one, index) => [
    index > 0 && one > shown[index - 1] + 1 && h('li', { class: 'gap', 'aria-hidden': 'true' }, '…'),
    h(
      'li',
      {},
      h(
        'a',
        { href: href(one), 'aria-current': one === page && 'page' },
        screenReaderText(`${t('page')} `),
        number(one),
      ),
    ),
  ]);
  const step = (to, rel, text, sign) =>
    h('li', { class: 'step' }, to >= 1 && to <= pages && h('a', { href: href(to), rel, 'aria-label': text }, sign));
  return h(
    'nav',
    { class: 'pages', 'aria-label': t('pages') },
    h('ol', {}, step(page - 1, 'prev', t('previousPage'), '←'), links, step(page + 1, 'next', t('nextPage'), '→')),
  );
};
