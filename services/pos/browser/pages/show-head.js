import { h } from '../dom.js';
import { link } from '../frame.js';
import { badge, pictureOf } from '../poster.js';
import { duration, isShow, money, period, t, validity } from '../texts/index.js';

/** The name and city of the venue of a performance. */
export function venueOf({ venue }) {
  return [venue?.name, venue?.city].filter(Boolean).join(', ');
}

/** What a product is, around its dates and places; the server draws it, too. */
export function showArticle(product) {
  return h('article', { class: 'show' }, head(product), product.details && details(product));
}

/** Paragraphs are apart by empty lines. */
const details = ({ details: text }) =>
  h(
    'section',
    { class: 'wrap show-details' },
    h('h2', {}, t('goodToKnow')),
    text.split(/\n\s*\n/).map((part) => h('p', {}, part)),
  );

const head = (product) => {
  return h(
    'header',
    { class: 'show-head' },
    h(
      'div',
      { class: 'wrap show-grid' },
      h('div', { class: 'show-picture' }, pictureOf(product)),
      h(
        'div',
        { class: 'show-text' },
        back(product),
        h('h1', { tabindex: '-1' }, product.name),
        h('p', { class: 'lead' }, product.description),
        facts(product),
        badge(product),
      ),
    ),
  );
};

/** To where the product is listed. */
const back = ({ type }) =>
  h(
    'a',
    { class: 'back', href: link(isShow(type) ? '/' : `/?type=${type}`) },
    h('span', { 'aria-hidden': 'true' }, '← '),
    t(isShow(type) ? 'programme' : `type_${type}`),
  );

const facts = (product) => {
  const { type, localStartDate, performances, priceFrom, currency } = product;
  const [first] = performances;
  const days = period(localStartDate, performances.at(-1)?.localStartDate);
  const rows = [
    isShow(type) ? [t('dates', { count: days === period(localStartDate) ? 1 : 2 }), days] : validity(product),
    [t('venue'), first && venueOf(first)],
    [t('duration'), isShow(type) && first && duration(first.durationMinutes)],
    [t('price'), priceFrom !== null && t('from', { price: money(priceFrom, currency) })],
  ];
  return h(
    'dl',
    { class: 'facts' },
    rows.filter(([, value]) => value).map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
  );
};
