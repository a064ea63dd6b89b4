import { keepAwake, startCamera } from '../camera.js';
import { colourOf } from '../decide.js';
import { ask, button, h, symbol } from '../dom.js';
import { listen } from '../hand-scanner.js';
import { allowSound, signal } from '../sound.js';
import { notesOf, placeOf, placesOf, reasonOf, t, timeOf, titleOf } from '../texts/index.js';
import { askTicket } from './find.js';
import { cancelButton, heading, show } from './frame.js';

// The result over the whole screen: colour, symbol, word, sound; it goes by itself.

/** How long a result stays. Milliseconds. */
const SHOWN_MS = { green: 1_500, amber: 5_000, red: 5_000 };

/** How many of the tickets in the lists are inside, with those that this phone has not sent. */
export function countsOf(evening) {
  const { gates, issued } = evening.statuses.countsOf(evening.door().performances.map(({ id }) => id));
  const admissions = evening.queue.all().filter(({ shown, isUndone }) => shown.result === 'admitted' && !isUndone);
  const waiting = admissions.filter(({ answer }) => !answer);
  for (const { gate } of waiting) gates.set(gate, (gates.get(gate) ?? 0) + 1);
  return {
    gates,
    issued: issued + waiting.filter(({ shown }) => shown.isNew).length,
    controlled: [...gates.values()].reduce((sum, count) => sum + count, 0),
    here: admissions.filter(({ contradiction }) => !contradiction).length,
  };
}

/** Scanning: camera, hand scanner, typed numbers, and what came of them. */
export function scanPage({ evening, link, signIn, open }) {
  const band = createBand();
  const { chosen, everything, gate } = evening.door();
  const link_ = h('p', { class: 'link', role: 'status' });
  const counts = h('p', { class: 'counts' });
  const later = button({ class: 'warning', hidden: true, onclick: () => open('report') }, 'amber', t('later'));
  const again = button(
    { hidden: true, onclick: () => signIn.begin(signIn.session().clientId) },
    null,
    t('signInAgain'),
  );
  const video = h('video', { playsinline: true, muted: true, 'aria-hidden': 'true' });
  const cameraState = h('p', { role: 'status' });
  const said = h('p', { class: 'unseen', role: 'status' });

  const scan = async (read) => {
    const decision = await evening
      .scan(read)
      .catch(() => ({ result: 'undecided', reason: 'failed', place: null, control: null, performanceId: null }));
    band.show(decision);
    update();
  };

  const hideBand = ({ key }) => key === 'Escape' && band.hide();
  addEventListener('keydown', hideBand);
  const stopListening = listen((text, candidates) => void scan({ text, candidates }));

  const type = async () => {
    const ticketId = await askTicket({ evening, link });
    if (ticketId) await scan({ ticketId });
  };
  const undo = async () => {
    const last = lastAdmission(evening);
    if (!last) return;
    const place = placeOf(last.shown) || t('noPlace');
    const content = h('p', null, t('undoText', { place, time: timeOf(last.at) }));
    const buttons = [button({ type: 'submit', value: 'yes', class: 'strong' }, null, t('undo')), cancelButton()];
    if ((await ask(t('undoTitle'), content, buttons)) !== 'yes') return;
    await evening.undo(last.nonce);
    said.textContent = t('undone', { place });
    update();
  };
  const light = button({ hidden: true, 'aria-pressed': 'false' }, 'light', t('light'));
  light.addEventListener('click', async () => {
    await (await starting).torch(light.getAttribute('aria-pressed') !== 'true');
  });
  const retry = button({ hidden: true, onclick: async () => (await starting).retry() }, null, t('startCamera'));
  const undoButton = button({ onclick: undo }, 'back', t('undo'));

  const update = () => {
    const [count, asOf] = [evening.queue.pending(), evening.asOf()];
    const state = link.isSignedOut() ? 'signedOut' : link.isUp() ? 'online' : 'offline';
    link_.dataset.state = state;
    link_.textContent = [
      t(state),
      asOf === undefined ? t('listLoading') : t('asOf', { time: timeOf(asOf) }),
      ...(count > 0 ? [t('waiting', { count })] : []),
      ...(evening.isLost() ? [t('notKept')] : []),
    ].join(' · ');
    const { here, ...inside } = countsOf(evening);
    counts.textContent = `${t('inside', inside)} · ${t('here', { count: here })}`;
    later.hidden = evening.queue.contradictions().length === 0;
    again.hidden = !link.isSignedOut();
    undoButton.disabled = !lastAdmission(evening);
  };

  show(
    h(
      'div',
      { class: 'scan' },
      h(
        'header',
        null,
        heading([gate, everything && t('everything'), ...chosen.map(titleOf)].filter(Boolean).join(' · ')),
        link_,
        counts,
        later,
        again,
      ),
      h('div', { class: 'camera' }, video, h('div', { class: 'camera-state' }, cameraState, retry)),
      h(
        'nav',
        { class: 'tools', 'aria-label': t('scanTitle') },
        light,
        button({ onclick: type }, 'keys', t('type')),
        undoButton,
        button({ onclick: () => open('report') }, 'list', t('report')),
      ),
      said,
    ),
    band.node,
  );
  update();
  addEventListener('pointerdown', allowSound, { once: true });
  const onState = (state, { hasTorch, isLit }) => {
    cameraState.textContent = ['running', 'paused'].includes(state) ? '' : t(`camera.${state}`);
    retry.hidden = !['denied', 'missing', 'taken', 'failed'].includes(state);
    light.hidden = !hasTorch;
    light.setAttribute('aria-pressed', String(isLit));
  };
  const starting = startCamera(video, (text) => void scan({ text }), { onState });
  const letSleep = keepAwake();

  return {
    update,
    leave() {
      stopListening();
      removeEventListener('keydown', hideBand);
      band.hide();
      void letSleep();
      void starting.then((camera) => camera.stop());
    },
  };
}

/** The place of results: `show(decision)` until the time is over, a touch, or the next one. */
const createBand = () => {
  const live = h('div', { role: 'alert', class: 'result' });
  const band = h('div', { class: 'band', hidden: true }, live);
  let timer;
  const hide = () => {
    clearTimeout(timer);
    band.hidden = true;
    live.replaceChildren();
  };
  band.append(button({ class: 'continue', onclick: hide }, null, t('continue')));
  band.addEventListener('click', hide);

  return {
    node: band,
    hide,
    show(decision) {
      hide();
      const colour = colourOf(decision);
      band.dataset.colour = colour;
      band.hidden = false;
      const { name, category } = placesOf(decision);
      const words = [reasonOf(decision), ...notesOf(decision)].filter((text) => text !== '');
      live.append(
        symbol(colour),
        h('p', { class: 'word' }, t(`results.${decision.result}`)),
        ...(name ? [h('p', { class: 'place' }, name)] : []),
        ...(category ? [h('p', { class: 'category' }, category)] : []),
        ...words.map((text) => h('p', null, text)),
      );
      signal(colour);
      timer = setTimeout(hide, SHOWN_MS[colour]);
    },
  };
};

/** The last admission of this phone that can be taken back. */
const lastAdmission = ({ queue }) =>
  queue
    .all()
    .findLast(({ shown, isUndone, contradiction }) => shown.result === 'admitted' && !isUndone && !contradiction);
