import { button, h } from '../dom.js';
import { allowSound } from '../sound.js';
import { localised, momentOf, startOf, t } from '../texts/index.js';
import { groupByDay, localNow, windowFrom } from '../today.js';
import { heading, languageChoice, message, show, signOut } from './frame.js';

/** So many can be seen at once; of more those are shown that are looked for. */
const SEEN = 12;

/** The choice of performances and of the door's name. */
export async function choosePage(context) {
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
  const all = Object.values(days).flat();
  const before = evening.door().chosen.map(({ id }) => id);
  const isChosen = ({ id }) =>
    before.includes(id) ||
    (before.length === 0 && !evening.door().everything && days.today.length === 1 && days.today[0].id === id);
  const rows = new Map(all.map((one) => [one.id, row(one, isChosen(one), link.now())]));
  const group = (name) =>
    days[name].length > 0 &&
    h(
      'fieldset',
      null,
      h('legend', null, t(name)),
      days[name].map(({ id }) => rows.get(id)),
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
    // Browsers delete what nobody has asked them to keep when space is short.
    void navigator.storage?.persist?.().catch(() => undefined);
    const form = new FormData(event.target);
    const [chosen, everything] = [form.getAll('performance'), form.has('everything')];
    if (chosen.length === 0 && !everything) {
      problem.textContent = t('chooseFirst');
      return;
    }
    await evening.choose(
      all.filter(({ id }) => chosen.includes(id)),
      gate.value.trim(),
      { everything },
    );
    synchronise();
    open('scan');
  };
  show(
    h(
      'form',
      { class: 'page', onsubmit: submit },
      heading(t('chooseTitle')),
      days.today.length + days.passes.length === 0 && message(t('noneToday')),
      all.length > SEEN && finder([...rows.values()]),
      h(
        'label',
        { class: 'choice' },
        h('input', { type: 'checkbox', name: 'everything', checked: evening.door().everything }),
        h('span', null, h('strong', null, t('everything')), h('small', null, t('everythingHint'))),
      ),
      ...['today', 'passes', 'tomorrow'].map(group),
      h('label', { class: 'field' }, h('span', null, t('gate')), gate, h('small', { id: 'gate-hint' }, t('gateHint'))),
      problem,
      h('div', { class: 'stack' }, button({ type: 'submit', class: 'strong' }, null, t('start')), leave),
      languageChoice(() => open('choose')),
    ),
  );
}

const load = async (link) =>
  groupByDay(await link.getAll('/svc/v3/catalog/programme', windowFrom(link.now())), link.now());

const row = (performance, isChosen, now) => {
  const { id, name, startDate, localStart, venue } = performance;
  const today = new Date(localNow(performance, now)).toISOString().slice(0, 10);
  const isEarlier = Date.parse(startDate) <= now && !localStart.startsWith(today);
  const words = isEarlier ? localised(name) : `${startOf(performance)} ${localised(name)}`;
  return h(
    'label',
    { class: 'choice' },
    h('input', { type: 'checkbox', name: 'performance', value: id, checked: isChosen }),
    h(
      'span',
      null,
      h('strong', null, words),
      h('small', null, [venue.name, isEarlier && lastsOf(performance)].filter(Boolean).join(' · ')),
    ),
  );
};

/** When a performance began that has not begun today, and when it is over. */
const lastsOf = ({ localStart, localEnd }) =>
  t(localEnd === null ? 'lastsSince' : 'lasts', {
    start: momentOf(localStart),
    end: localEnd === null ? '' : momentOf(localEnd),
  });

/** A field that shows only the rows with its words, and those that are chosen. */
const finder = (rows) => {
  const find = ({ target }) => {
    const words = target.value.toLocaleLowerCase().split(/\s+/);
    for (const one of rows) {
      const text = one.textContent.toLocaleLowerCase();
      one.hidden = !one.querySelector('input').checked && !words.every((word) => text.includes(word));
    }
  };
  const field = h('input', { type: 'search', autocomplete: 'off', oninput: find });
  return h('label', { class: 'field' }, h('span', null, t('find')), field);
};
