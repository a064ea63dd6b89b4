import { h } from './dom.js';
import { checkAll, textField } from './fields.js';
import { act } from './notices.js';
import { logIn } from './state.js';
import { t } from './texts/index.js';

/** The login form; calls `done` after the login. */
export const loginForm = (done) => {
  const login = textField({ label: t('login'), autocomplete: 'username' });
  const password = textField({ label: t('password'), type: 'password', autocomplete: 'current-password' });
  const button = h('button', { type: 'submit', class: 'button' }, t('logIn'));
  const submit = async (event) => {
    event.preventDefault();
    if (!checkAll([login, password])) return;
    // A password may contain spaces.
    const went = await act(button, () => logIn(login.value(), password.input.value));
    if (went) done();
    else password.input.focus();
  };
  return h(
    'form',
    { class: 'form login', novalidate: true, onsubmit: submit },
    login.node,
    password.node,
    h('p', { class: 'small' }, t('demoUsers')),
    button,
  );
};
