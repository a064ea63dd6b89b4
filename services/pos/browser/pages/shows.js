import { api } from '../api.js';
import { h, newId, screenReaderText } from '../dom.js';
import { link } from '../frame.js';
import { announce, showError } from '../notices.js';
import { auditorium, badge, fillPosters, pictureOf } from '../poster.js';
import { visitor } from '../state.js';
import { dayParts, longDay, money, month, number, TYPES, t, whenOf } from '../texts/index.js';

const SIZE = 24;
/** Days of the strip. */
const STRIP = 12;

/** The place of the visitor in the programme, from the query of the address. */
export function programmeState(query) {
  const read = (name, pattern) => (pattern.test(query.get(name) ?? '') ? query.get(name) : '');
  return {
    type: TYPES.includes(query.get('type')) ? query.get('type') : 'show',
    wanted: (query.get('q') ?? '').slice(0, 200),
    page: Math.min(10_000, Math.max(1, Number.parseInt(query.get('page') ?? '1', 10) || 1)),
    date: read('date', /^\d{4}-\d{2}-\d{2}$/),
    venue: (query.get('venue') ?? '').slice(0, 200),
    month: read('month', /^\d{4}-(?:0[1-9]|1[0-2])$/),
  };
}

/** The programme as a page: `found` is what matches, `calendar` draws the open one. The server draws it, too. */
export function programme(state, found, calendar) {
  return h(
    'div',
    {},
    h(
      'section',
      { class: 'hero' },
      auditorium(),
      h(
        'div',
        { class: 'wrap hero-text' },
        h('h1', { tabindex: '-1' }, t('season')),
        h('p', { class: 'hero-line' }, t('seasonLine')),
        search(state, found),
      ),
    ),
    h(
      'div',
      { class: 'wrap catalogue' },
      h('div', { class: 'catalogue-head' }, kinds(state, found), h('p', { class: 'count' }, countText(found))),
      finding(state, found, calendar),
      h('div', { class: 'results' }, results(found, state)),
    ),
  );
}

/** The choice of a type, where there is one. */
const kinds = (state, { types = [] }) => {
  const all = TYPES.filter((type) => type === state.type || types.includes(type));
  const links = all.map((type) => {
    const href = addressOf({ type, wanted: '', page: 1 });
    return h('a', { href, 'aria-current': type === state.type && 'page' }, t(`type_${type}`));
  });
  return links.length > 1 && h('nav', { class: 'kinds', 'aria-label': t('kinds') }, links);
};

const search = ({ type, wanted, date, venue }, { venues = [] }) => {
  const field = newId('search');
  const hidden = (name, value) => value && h('input', { type: 'hidden', name, value });
  return h(
    'form',
    { role: 'search', class: 'search', action: link('/') },
    hidden('type', type === 'show' ? '' : type),
    hidden('date', date),
    h('label', { for: field, class: 'unseen' }, t('searchLabel')),
    h('input', {
      ...{ id: field, name: 'q', type: 'search', value: wanted, placeholder: t('searchLabel'), autocomplete: 'off' },
    }),
    (venues.length > 1 || venue !== '') &&
      h(
        'select',
        { name: 'venue', 'aria-label': t('venue') },
        ['', ...new Set([...venues, venue].filter(Boolean))].map((name) =>
          h('option', { value: name, selected: name === venue }, name || t('allVenues')),
        ),
      ),
  );
};

/** The address of a place in the programme: what is chosen, and the month of the open calendar. */
const addressOf = ({ type, wanted, page, date, venue, month: open }) => {
  const chosen = { type: type === 'show' ? '' : type, q: wanted.trim(), date, venue, month: open };
  const query = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
  if (page > 1) query.set('page', page);
  return link(query.size > 0 ? `/?${query}` : '/');
};

const countText = ({ total }) => t('found', { count: total, shown: number(total) });

/** The choice of a day: the next ones, and the calendar if it is open. */
const finding = (state, { days = {} }, calendar) => {
  const open = state.month ? '' : (state.date || Object.keys(days)[0] || '').slice(0, 7);
  if (state.type !== 'show' || Object.keys(days).length === 0) return h('div', { class: 'finding' });
  return h(
    'nav',
    { class: 'finding', 'aria-label': t('chooseDay') },
    h(
      'div',
      { class: 'date-choice' },
      h(
        'ul',
        { class: 'date-strip' },
        h('li', {}, dayLink(state, '', t('allDates'))),
        h(
          'li',
          {},
          h(
            'a',
            {
              href: addressOf({ ...state, month: open }),
              'data-key': 'calendar',
              'aria-expanded': `${state.month !== ''}`,
            },
            t('calendar'),
          ),
        ),
      ),
      h('ul', { class: 'date-strip' }, dateStrip(state, days)),
    ),
    state.month !== '' && calendar?.(state, days, { addressOf, dayLink, nameOf, noon }),
  );
};

/** The link that chooses a day, or with `''` every day. `label` names it instead of its content. */
const dayLink = (state, day, content, label) =>
  h(
    'a',
    {
      href: addressOf({ ...state, date: day, page: 1 }),
      'data-key': `day ${day}`,
      'aria-current': state.date === day && 'true',
      'aria-label': label,
    },
    content,
  );

/** The next days with performances, the chosen one among them. */
const dateStrip = (state, days) => {
  const all = Object.keys(days);
  const first = Math.max(0, Math.min(all.indexOf(state.date) - 1, all.length - STRIP));
  return all.slice(first, first + STRIP).map((day) => {
    const parts = dayParts(noon(day));
    const lines = [
      h('span', { class: 'strip-weekday' }, parts.shortWeekday),
      ' ',
      h('span', { class: 'strip-day' }, parts.day),
      ' ',
      h('span', { class: 'strip-month' }, parts.month.split(' ')[0]),
      screenReaderText(`, ${countOf(days[day])}`),
    ];
    return h('li', {}, dayLink(state, day, lines));
  });
};

/** A day of the calendar, such as `2027-03-12`, as a time within it. */
const noon = (day) => `${day}T12:00:00Z`;

const countOf = (count) => t('datesCount', { count });

/** The name of a day of which only the number is shown. */
const nameOf = (day, count) => `${longDay(noon(day))}, ${countOf(count)}`;

const results = ({ records, total }, state) => {
  if (total === 0) {
    const { wanted } = state;
    const text = wanted.trim() ? t('nothingFound', { wanted }) : t(isNarrowed(state) ? 'nothingThen' : 'nothingHere');
    return [h('p', { class: 'lead nothing' }, text)];
  }
  const isFound = isNarrowed(state);
  const title = state.date ? longDay(noon(state.date)) : t(`type_${state.type}`);
  const list =
    state.type === 'show' && !isFound
      ? byMonth(records)
      : [h('h2', { class: state.date ? 'day-title' : 'unseen' }, title), grid(records, isFound)];
  return [
    list,
    pagination({ page: state.page, pages: Math.ceil(total / SIZE), href: (page) => addressOf({ ...state, page }) }),
  ];
};

const isNarrowed = ({ wanted, date, venue }) => wanted.trim() !== '' || date !== '' || venue !== '';

const byMonth = (products) =>
  [
    ...Map.groupBy(products, ({ performance, localStartDate: first }) => month(performance?.localStartDate ?? first)),
  ].map(([name, those]) => h('section', { class: 'month' }, h('h2', {}, name), grid(those)));

const grid = (products, isFound = false) =>
  h(
    'ul',
    { class: 'grid' },
    products.map((product) => card(product, isFound)),
  );

const card = (product, isFound) => {
  const { id, name, priceFrom, currency } = product;
  return h(
    'li',
    {},
    h(
      'a',
      { class: 'card', href: link(`/show/${encodeURIComponent(id)}`), 'data-availability': product.availability },
      h('span', { class: 'card-picture' }, pictureOf(product, true), badge(product)),
      h('span', { class: 'card-date' }, whenOf(product, isFound)),
      h('span', { class: 'card-name' }, name),
      priceFrom !== null && h('span', { class: 'card-price' }, t('from', { price: money(priceFrom, currency) })),
    ),
  );
};

/** Links to the pages of a list; nothing for a single page. */
const pagination = ({ page, pages, href }) => {
  if (pages < 2) return [];
  const shown = listLinkedPages(page, pages);
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

/** The linked pages: the first, the last, and the neighbours of the current one. */
const listLinkedPages = (page, pages) =>
  [...new Set([1, 2, page - 1, page, page + 1, pages - 1, pages])]
    .filter((one) => one >= 1 && one <= pages)
    .toSorted((a, b) => a - b);

/** The programme, with what is looked for in the address. `first`: as the server has drawn it. */
export async function showsPage(_parameters, query, { first, drawn }) {
  let address = location.href;
  let state = programmeState(query);
  const node = first && drawn ? drawn : programme(state, first ?? (await load(state)), await calendarFor(state));
  let turn = 0;
  let timer;

  /** Shows what is found for another state; `remember` writes its address into the history. */
  const show = async (next, remember) => {
    turn += 1;
    const mine = turn;
    state = next;
    const [found, calendar] = await Promise.all([load(state), calendarFor(state)]).catch((error) => [showError(error)]);
    // The visitor may have gone to another page, whose address stays.
    if (mine !== turn || !found || location.href !== address) return;
    remember(addressOf(state));
    address = location.href;
    const focused = document.activeElement?.dataset.key;
    node.querySelector('.results').replaceChildren(...results(found, state).flat());
    node.querySelector('.finding').replaceWith(finding(state, found, calendar));
    if (focused) node.querySelector(`[data-key="${focused}"]`)?.focus();
    node.querySelector('.count').textContent = countText(found);
    fillPosters(node);
    announce(countText(found));
  };
  const replace = (address) => history.replaceState(history.state, '', address);
  const push = (address) => {
    history.replaceState({ scroll: window.scrollY }, '');
    history.pushState({ scroll: window.scrollY }, '', address);
  };

  const form = node.querySelector('.search');
  form.addEventListener('submit', (event) => event.preventDefault());
  const onInput = () => {
    clearTimeout(timer);
    timer = setTimeout(() => show({ ...state, wanted: form.elements.q.value, page: 1 }, replace), 160);
  };
  form.elements.q.addEventListener('input', onInput);
  form.elements.venue?.addEventListener('change', ({ target }) =>
    show({ ...state, venue: target.value, page: 1 }, push),
  );
  node.addEventListener('click', (event) => {
    const anchor = event.target.closest('.finding a');
    if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void show({ ...programmeState(new URL(anchor.href).searchParams), wanted: state.wanted }, push);
  });
  // Typed before the script was there.
  if (form.elements.q.value !== state.wanted) onInput();
  fillPosters(node);
  return { title: t('programme'), node, leave: () => clearTimeout(timer) };
}

const load = async ({ type, wanted, page, date, venue }) =>
  api.programme({
    ...{ type, q: wanted, venue, from: date, to: date, offset: (page - 1) * SIZE, limit: SIZE },
    contactNumber: visitor.contact?.contactNumber,
  });

/** The view of the calendar, loaded when it is open. */
const calendarFor = async ({ month: open }) => (open ? (await import('./calendar.js')).calendarView : undefined);
