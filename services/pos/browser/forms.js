import { h, newId, tidy } from './dom.js';
import { shop } from './frame.js';
import { act } from './notices.js';
import { logIn, logOut } from './state.js';
import { t } from './texts/index.js';

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/**
 * A labelled field with its own error message. `rule`: 'email', or undefined for any text; `isOptional`: whether it may
 * stay empty now.
 */
export function textField({ label, type = 'text', inputmode, autocomplete, rule, value = '', isOptional }) {
  const id = newId('field');
  const error = h('span', { class: 'field-error', id: `${id}-error` });
  const input = h('input', {
    id,
    type,
    inputmode,
    autocomplete,
    value,
    maxlength: rule === 'email' ? 254 : 200,
    'aria-describedby': `${id}-error`,
    'aria-required': isOptional ? undefined : 'true',
  });
  const problem = () => {
    if (input.value.trim() === '') return isOptional?.() ? '' : t('required');
    return rule === 'email' && !EMAIL.test(input.value.trim()) ? t('notAnEmail') : '';
  };
  const show = (text) => {
    error.textContent = text;
    input.setAttribute('aria-invalid', `${text !== ''}`);
    return text === '';
  };
  const check = () => show(problem());
  // A shown error disappears as soon as the value is valid.
  input.addEventListener('input', () => error.textContent !== '' && check());
  // The field shows the value that is sent; a password may contain spaces.
  input.addEventListener('change', () => {
    if (type !== 'password') input.value = tidy(input.value);
  });
  return {
    node: h('div', { class: 'field' }, h('label', { for: id }, label), input, error),
    input,
    check,
    /** Shows an error that only the server knows. */
    fail(text) {
      show(text);
      input.focus();
    },
    value: () => tidy(input.value),
  };
}

/** A box to tick, with the message of who has not; `more`: what stands behind its label. */
export function tickBox({ label, problem, more }) {
  const id = newId('field');
  const error = h('span', { class: 'field-error', id: `${id}-error` });
  const input = h('input', { id, type: 'checkbox', 'aria-required': 'true', 'aria-describedby': `${id}-error` });
  const check = () => {
    error.textContent = input.checked ? '' : problem;
    input.setAttribute('aria-invalid', `${!input.checked}`);
    return input.checked;
  };
  input.addEventListener('change', () => error.textContent !== '' && check());
  return {
    node: h('div', { class: 'field' }, h('div', { class: 'tick' }, input, h('label', { for: id }, label), more), error),
    input,
    check,
  };
}

/** Checks all fields and focuses the first invalid one. */
export function checkAll(fields) {
  const wrong = fields.filter((field) => !field.check());
  wrong[0]?.input.focus();
  return wrong.length === 0;
}

/** A group of radio buttons: `options` are `{value, label, text?}`. */
export function radioCards({ legend, options, chosen, onchange }) {
  const name = newId('choice');
  return h(
    'fieldset',
    { class: 'cards' },
    h('legend', {}, legend),
    options.map(({ value, label, text }) =>
      h(
        'label',
        { class: 'radio-card' },
        h('input', { type: 'radio', name, value, checked: value === chosen, onchange: () => onchange(value) }),
        h('span', {}, h('span', { class: 'radio-label' }, label), text && h('span', { class: 'small' }, text)),
      ),
    ),
  );
}

/** The button that logs out; calls `done` after it. */
export function logOutButton(done) {
  const button = h('button', { type: 'button', class: 'link-button' }, t('logOut'));
  button.addEventListener('click', () =>
    act(button, async () => {
      await logOut();
      await done();
    }),
  );
  return button;
}

/** The login form; calls `done` after the login. */
export function loginForm(done) {
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
    shop.isDemo && h('p', { class: 'small' }, t('demoUsers')),
    button,
  );
}
