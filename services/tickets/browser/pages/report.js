import { colourOf } from '../decide.js';
import { button, h, symbol } from '../dom.js';
import { placeOf, reasonOf, t, timeOf } from '../texts/index.js';
import { heading, languageChoice, show, signOut } from './frame.js';
import { countsOf } from './scan.js';

/** How many scans are listed. */
const LISTED = 30;

/** The evening so far: who is inside, what turned out later, the last scans of this phone. */
export function reportPage(context) {
  const { evening, open } = context;
  const contradictions = evening.queue.contradictions();
  const { gates } = countsOf(evening);
  const recent = evening.queue
    .all()
    .filter(({ isUndone }) => !isUndone)
    .slice(-LISTED)
    .reverse();
  const acknowledge = async () => {
    await evening.queue.acknowledge();
    open('report');
  };

  const laterPart = h(
    'section',
    { class: 'warning' },
    h('h2', null, t('later')),
    h('p', null, t('laterText')),
    h(
      'ul',
      null,
      contradictions.map((scan) =>
        h(
          'li',
          null,
          t('letIn', {
            place: whereOf(scan),
            time: timeOf(scan.at),
            reason: reasonOf(scan.contradiction),
          }),
        ),
      ),
    ),
    button({ onclick: acknowledge }, null, t('acknowledge')),
  );
  const gateRows = [...gates]
    .sort(([one], [other]) => (one ?? '').localeCompare(other ?? ''))
    .map(([gate, count]) =>
      h('tr', null, h('th', { scope: 'row' }, gate ?? t('noGate')), h('td', null, String(count))),
    );

  show(
    h(
      'div',
      { class: 'page' },
      heading(t('reportTitle')),
      contradictions.length > 0 && laterPart,
      h('h2', null, t('gates')),
      gateRows.length > 0 ? h('table', null, h('tbody', null, gateRows)) : h('p', null, t('nobody')),
      h('h2', null, t('recent')),
      recent.length === 0 && h('p', null, t('nobody')),
      h(
        'ol',
        { class: 'recent' },
        recent.map((scan) =>
          h('li', { 'data-colour': colourOf(scan.shown) }, symbol(colourOf(scan.shown)), line(scan)),
        ),
      ),
      h(
        'div',
        { class: 'stack' },
        button({ class: 'strong', onclick: () => open('scan') }, null, t('back')),
        button({ onclick: () => open('choose') }, null, t('otherDoor')),
        button({ onclick: () => signOut(context) }, null, t('signOut')),
      ),
      languageChoice(() => open('report')),
    ),
  );
}

/** The place of a scan; of a ticket that the phone's list lacked as the server has answered. */
const whereOf = ({ shown, answer }) => placeOf(shown.place || !answer ? shown : answer) || t('noPlace');

const line = ({ shown, at, answer }) => {
  const result = t(`results.${shown.result}`);
  const [said, reason] = [
    t('scanned', { time: timeOf(at), place: whereOf({ shown, answer }), result }),
    reasonOf(shown),
  ];
  return h('span', null, said, reason && h('small', null, reason));
};
