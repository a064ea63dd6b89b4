import { button, h } from '../dom.js';
import { allowSound } from '../sound.js';
import { localised, t, timeOf } from '../texts/index.js';
import { groupByDay, windowAround } from '../tonight.js';
import { heading, languageChoice, message, show, signOut } from './frame.js';

/** Performances of shows, with their names. */
const load = async (link) => {
  const { items } = await link.get('/svc/v3/catalog/performances', { ...windowAround(link.now()), limit: 500 });
  const days = groupByDay(items, link.now());
  const ids = [...new Set([...days.tonight, ...days.tomorrow].map(({ productId }) => productId))];
  const products = await Promise.all(ids.map((id) => link.get(`/svc/v3/catalog/products/${encodeURIComponent(id)}`)));
  const shows = new Map(products.filter(({ type }) => type === 'show').map(({ id, name }) => [id, name]));
  const named = ({ id, startDate, timeZone, venue, productId }) => ({
    ...{ id, startDate, timeZone },
    venue: venue?.name ?? '',
    name: shows.get(productId),
  });
  // A pass has one performance, too: its period.
  const showsOf = (day) => day.filter(({ productId }) => shows.has(productId)).map(named);
  return { tonight: showsOf(days.tonight), tomorrow: showsOf(days.tomorrow) };
};

const row = ({ id, name, startDate, timeZone, venue }, isChosen) =>
  h(
    'label',
    { class: 'choice' },
    h('input', { type: 'checkbox', name: 'performance', value: id, checked: isChosen }),
    h('span', null, h('strong', null, `${timeOf(startDate, timeZone)} ${localised(name)}`), h('small', null, venue)),
  );

/** The choice of performances and of the door's name. */
export const choosePage = async (context) => {
  const { evening, link, open, synchronise } = context;
  show(h('div', { class: 'page' }, heading(t('chooseTitle')), message(t('loading'))));
  const leave = button({ onclick: () => signOut(context) }, null, t('signOut'));
  const days = await load(link).catch(() => undefined);
  if (!days) {
    const again = button({ class: 'strong', onclick: () => open('choose') }, null, t('tryAgain'));
    const failed = message(t(link.isSignedOut() ? 'signedOut' : 'loadFailed'), { role: 'alert' });
    show(h('div', { class: 'page' }, heading(t('chooseTitle')), failed, h('div', { class: 'stack' }, again, leave)));
    return;
  }
  const all = [...days.tonight, ...days.tomorrow];
  const before = evening.door().performances.map(({ id }) => id);
  const isChosen = ({ id }) =>
    before.includes(id) || (before.length === 0 && days.tonight.length === 1 && days.tonight[0].id === id);
  const group = (name, performances) =>
    performances.length > 0 &&
    h(
      'fieldset',
      null,
      h('legend', null, t(name)),
      performances.map((one) => row(one, isChosen(one))),
    );
  const problem = message('', { role: 'alert', class: 'warning' });
  const gate = h('input', {
    name: 'gate',
    maxlength: 60,
    autocomplete: 'off',
    value: evening.door().gate,
    'aria-describedby': 'gate-hint',
  });
  const submit = async (event) => {
    event.preventDefault();
    allowSound();
    const chosen = new FormData(event.target).getAll('performance');
    if (chosen.length === 0) {
      problem.textContent = t('chooseFirst');
      return;
    }
    await evening.choose(
      all.filter(({ id }) => chosen.includes(id)),
      gate.value.trim(),
    );
    synchronise();
    open('scan');
  };
  show(
    h(
      'form',
      { class: 'page', onsubmit: submit },
      heading(t('chooseTitle')),
      days.tonight.length === 0 && message(t('noneTonight')),
      group('tonight', days.tonight),
      group('tomorrow', days.tomorrow),
      h('label', { class: 'field' }, h('span', null, t('gate')), gate, h('small', { id: 'gate-hint' }, t('gateHint'))),
      problem,
      h('div', { class: 'stack' }, button({ type: 'submit', class: 'strong' }, null, t('start')), leave),
      languageChoice(() => open('choose')),
    ),
  );
};
