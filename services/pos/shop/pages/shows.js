import { api } from '../api.js';
import { h, newId, screenReaderText } from '../dom.js';
import { money, month, number, period, shortDay } from '../format.js';
import { link } from '../frame.js';
import { announce, showError } from '../notices.js';
import { auditorium, badge, fillPosters, plainPoster } from '../poster.js';
import { visitor } from '../state.js';
import { t } from '../texts/index.js';

const SIZE = 24;
const TYPES = ['show', 'pass', 'season_ticket', 'membership', 'service', 'goods', 'package'];

/** Complete lists for the search, loaded once per type. */
const completeLists = new Map();

const completeList = (type) => {
  const list = completeLists.get(type) ?? api.allProducts({ type });
  completeLists.set(type, list);
  list.catch(() => completeLists.delete(type));
  return list;
};

const plain = (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

const matching = (products, wanted) => {
  const words = plain(wanted).split(/\s+/).filter(Boolean);
  return products.filter(({ name }) => words.every((word) => plain(name).includes(word)));
};

const load = async ({ type, wanted, page }) => {
  const offset = (page - 1) * SIZE;
  if (wanted.trim() === '')
    return api.products({ type, offset, limit: SIZE, contactNumber: visitor.contact?.contactNumber });
  const found = matching(await completeList(type), wanted);
  return { records: found.slice(offset, offset + SIZE), total: found.length };
};

const addressOf = ({ type, wanted, page }) => {
  const query = new URLSearchParams();
  if (type !== 'show') query.set('type', type);
  if (wanted.trim() !== '') query.set('q', wanted);
  if (page > 1) query.set('page', page);
  return link(query.size > 0 ? `/?${query}` : '/');
};

const card = (product, isFound) => {
  const { id, code, type, name, startDate, endDate, priceFrom, currency } = product;
  return h(
    'li',
    {},
    h(
      'a',
      { class: 'card', href: link(`/show/${encodeURIComponent(id)}`), 'data-availability': product.availability },
      h('span', { class: 'card-picture' }, plainPoster(code), badge(product)),
      h(
        'span',
        { class: 'card-date' },
        type === 'show'
          ? isFound || startDate === null
            ? period(startDate)
            : shortDay(startDate)
          : period(startDate, endDate),
      ),
      h('span', { class: 'card-name' }, name),
      priceFrom !== null && h('span', { class: 'card-price' }, t('from', { price: money(priceFrom, currency) })),
    ),
  );
};

const grid = (products, isFound = false) =>
  h(
    'ul',
    { class: 'grid' },
    products.map((product) => card(product, isFound)),
  );

const byMonth = (products) =>
  [...Map.groupBy(products, ({ startDate }) => month(startDate))].map(([name, those]) =>
    h('section', { class: 'month' }, h('h2', {}, name), grid(those)),
  );

/** The linked pages: the first, the last, and the neighbours of the current one. */
const worth = (page, pages) =>
  [...new Set([1, 2, page - 1, page, page + 1, pages - 1, pages])]
    .filter((one) => one >= 1 && one <= pages)
    .toSorted((a, b) => a - b);

/** Links to the pages of a list; nothing for a single page. */
const pagination = ({ page, pages, href }) => {
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

const results = ({ records, total }, state) => {
  if (total === 0)
    return [
      h(
        'p',
        { class: 'lead nothing' },
        state.wanted.trim() === '' ? t('nothingHere') : t('nothingFound', { wanted: state.wanted }),
      ),
    ];
  const isFound = state.wanted.trim() !== '';
  const list =
    state.type === 'show' && !isFound
      ? byMonth(records)
      : [h('h2', { class: 'unseen' }, t(`type_${state.type}`)), grid(records, isFound)];
  return [
    list,
    pagination({ page: state.page, pages: Math.ceil(total / SIZE), href: (page) => addressOf({ ...state, page }) }),
  ];
};

const hero = (search) =>
  h(
    'section',
    { class: 'hero' },
    auditorium(),
    h(
      'div',
      { class: 'wrap hero-text' },
      h('h1', { tabindex: '-1' }, t('season')),
      h('p', { class: 'hero-line' }, t('seasonLine')),
      search,
    ),
  );

/** The place of the visitor in the programme, from the query of the address. */
export const programmeState = (query) => ({
  type: TYPES.includes(query.get('type')) ? query.get('type') : 'show',
  wanted: query.get('q') ?? '',
  page: Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1),
});

const countText = ({ total }) => t('found', { count: total, shown: number(total) });

/** The programme as a page: `found` are its records and their total. The server draws it, too. */
export const programme = (state, found) => {
  const field = newId('search');
  const form = h(
    'form',
    { role: 'search', class: 'search', action: link('/') },
    state.type !== 'show' && h('input', { type: 'hidden', name: 'type', value: state.type }),
    h('label', { for: field, class: 'unseen' }, t('searchLabel')),
    h('input', {
      id: field,
      name: 'q',
      type: 'search',
      value: state.wanted,
      placeholder: t('searchLabel'),
      autocomplete: 'off',
    }),
  );
  const kinds = h(
    'nav',
    { class: 'kinds', 'aria-label': t('kinds') },
    TYPES.map((type) =>
      h(
        'a',
        { href: addressOf({ type, wanted: '', page: 1 }), 'aria-current': type === state.type && 'page' },
        t(`type_${type}`),
      ),
    ),
  );
  return h(
    'div',
    {},
    hero(form),
    h(
      'div',
      { class: 'wrap catalogue' },
      h('div', { class: 'catalogue-head' }, kinds, h('p', { class: 'count' }, countText(found))),
      h('div', { class: 'results' }, results(found, state)),
    ),
  );
};

/** The programme: all products by month, with a search by title, in pages. `first`: as the server has drawn it. */
export const showsPage = async (_parameters, query, { first, drawn }) => {
  const state = programmeState(query);
  const node = first && drawn ? drawn : programme(state, first ?? (await load(state)));
  let turn = 0;
  let timer;

  const search = async (wanted) => {
    turn += 1;
    const mine = turn;
    Object.assign(state, { wanted, page: 1 });
    const found = await load(state).catch(showError);
    if (mine !== turn || !found) return;
    history.replaceState(history.state, '', addressOf(state));
    node.querySelector('.results').replaceChildren(...results(found, state).flat());
    node.querySelector('.count').textContent = countText(found);
    fillPosters(node);
    announce(countText(found));
  };
  const form = node.querySelector('.search');
  form.addEventListener('submit', (event) => event.preventDefault());
  const onInput = ({ target }) => {
    clearTimeout(timer);
    timer = setTimeout(() => search(target.value), 160);
  };
  form.elements.q.addEventListener('input', onInput);
  // Typed before the script was there.
  if (form.elements.q.value !== state.wanted) onInput({ target: form.elements.q });
  fillPosters(node);
  return { title: t('programme'), node, leave: () => clearTimeout(timer) };
};
