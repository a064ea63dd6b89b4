import { button, h } from '../dom.js';
import { hasText, language, t } from '../texts/index.js';
import { heading, languageChoice, message, show } from './frame.js';

/** The sign-in of a house. `error`: why the last one failed. */
export const startPage = ({ signIn, open, error }) => {
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
