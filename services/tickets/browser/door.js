// The control at the door: entry of the page. It uses only the institution API.

import { connectDatabase } from './database.js';
import { button, h } from './dom.js';
import { createEvening } from './evening.js';
import { createLink } from './link.js';
import { choosePage } from './pages/choose.js';
import { heading, languageChoice, message, show } from './pages/frame.js';
import { reportPage } from './pages/report.js';
import { scanPage } from './pages/scan.js';
import { createSignIn, loadSettings } from './sign-in.js';
import { hasText, language, t } from './texts/index.js';
import { createVerifier } from './verify.js';
import { keepOffline } from './worker.js';

/** The sign-in of a house. `error`: why the last one failed. */
const startPage = ({ signIn, open, error }) => {
  const name = `signInErrors.${error}`;
  const buttons = signIn.clients.map((client) =>
    button({ class: 'strong', onclick: () => signIn.begin(client.clientId, language()) }, null, t('signInAt', client)),
  );
  show(
    h(
      'div',
      { class: 'page' },
      heading(t('title')),
      error && message(hasText(name) ? t(name) : t('signInErrors.other'), { role: 'alert', class: 'warning' }),
      h('p', null, t(buttons.length > 0 ? 'signInText' : 'noClients')),
      h('div', { class: 'stack' }, buttons),
      languageChoice(() => open('start')),
    ),
  );
};

/** How often changes are loaded and what waits is sent. Milliseconds. */
const EVERY_MS = 4_000;

const pages = { start: startPage, choose: choosePage, scan: scanPage, report: reportPage };

const isChosen = ({ chosen, everything }) => everything || chosen.length > 0;

/** A page that says one thing. */
const say = (text, more) => show(h('div', { class: 'page' }, heading(t('title')), message(text, more)));

const start = async () => {
  const settings = await loadSettings();
  let current;

  const open = (name) => {
    current?.leave?.();
    current = undefined;
    const drawn = pages[name](context);
    if (drawn?.update) current = drawn;
  };

  let isDue = false;
  /** Draws what has changed, at most once a frame. */
  const update = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(() => {
      isDue = false;
      if (current && !isSignedIn()) open('start');
      current?.update();
    });
  };

  const signIn = createSignIn({ ...settings, onChange: update });
  const isSignedIn = () => signIn.session() !== undefined;
  const link = createLink({ send: signIn.send, storage: localStorage, onChange: update });
  const evening = createEvening({
    connect: connectDatabase,
    storage: localStorage,
    mayKeep: () => isSignedIn(),
    link,
    verify: createVerifier({ subtle: crypto.subtle, loadLibrary: () => import('./lib/ed25519.js') }),
    newNonce: () =>
      [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join(''),
    onChange: update,
  });
  const context = { signIn, link, evening, open, synchronise: () => synchronise() };

  const isOpen = await evening.open().then(
    () => true,
    () => false,
  );
  if (!isOpen) return say(t('noMemory'), { role: 'alert' });
  context.error = await signIn.complete();
  open(!isSignedIn() || context.error ? 'start' : isChosen(evening.door()) ? 'scan' : 'choose');

  let [timer, synchronising] = [undefined, Promise.resolve()];
  /** One after the other: what was chosen meanwhile is loaded after that. */
  const synchronise = () => {
    clearTimeout(timer);
    synchronising = synchronising.then(async () => {
      if (isSignedIn()) await evening.synchronise().catch(() => undefined);
      clearTimeout(timer);
      timer = setTimeout(synchronise, EVERY_MS);
      update();
    });
  };
  addEventListener('online', synchronise);
  addEventListener('offline', link.setOffline);
  document.addEventListener('visibilitychange', () => document.hidden || synchronise());
  synchronise();
};

say(t('loading'));
await start().catch(() => say(t('signInErrors.unreachable'), { role: 'alert' }));
void keepOffline().catch(() => undefined);
