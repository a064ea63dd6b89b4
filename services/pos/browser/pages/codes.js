// The codes of discounts that a cart has, and the field for one more.
import { Refusal } from '../api.js';
import { h } from '../dom.js';
import { textField } from '../forms.js';
import { link } from '../frame.js';
import { act, announce, notice, wordsOf } from '../notices.js';
import { cart, cartItems, visitor } from '../state.js';
import { errorText, money, t } from '../texts/index.js';

/** Another text is the code of no discount. */
const CODE = /^[A-Za-z0-9-]{4,40}$/;

/** An item of a tariff that is sold with the code alone. */
const isNeeded = (error) => error instanceof Refusal && error.code === 'tariff_not_accessible';

export function codesBlock() {
  return h(
    'section',
    { class: 'codes', 'aria-labelledby': 'codes-title' },
    h('h2', { id: 'codes-title' }, t('codes')),
    visitor.cart.codes.length > 0 && h('ul', {}, visitor.cart.codes.map(codeRow)),
    codeForm(),
  );
}

const codeRow = (given) => {
  const { code, discountId, state } = given;
  const remove = async () => {
    const went = await act(button, () =>
      cart.removeCodes(discountId).catch((error) => {
        if (isNeeded(error)) error.code = 'code_needed';
        throw error;
      }),
    );
    if (went) announce(t('removed'));
  };
  const label = t('removeItem', { item: code });
  const button = h(
    'button',
    { type: 'button', class: 'link-button', 'aria-label': label, onclick: remove },
    t('remove'),
  );
  return h(
    'li',
    { 'data-state': state },
    h('strong', {}, code),
    h(
      'span',
      { class: 'small' },
      stateText(given),
      state === 'contact_required' && !visitor.contact && [' ', h('a', { href: link('/account') }, t('logIn'))],
    ),
    // One that is unknown by now goes with the next code.
    discountId && button,
  );
};

/** What a code does for the cart, or why it does nothing. */
const stateText = ({ discountId, state }) => {
  const name = cartItems()
    .flatMap(({ components }) => components)
    .find(({ id }) => id === discountId)?.name;
  return t(`code_${state}`, { name });
};

/** A cart that is drawn again keeps what is being typed. */
let typed = '';

const codeForm = () => {
  const field = textField({ label: t('code'), autocomplete: 'off', value: typed });
  const keep = () => {
    typed = field.input.value;
  };
  field.input.addEventListener('input', keep);
  field.input.setAttribute('data-focus-key', 'code');
  const button = h('button', { type: 'submit', class: 'button button-quiet', 'data-focus-key': 'code' }, t('useCode'));
  const use = async () => {
    const code = field.value();
    if (!CODE.test(code)) return field.fail(errorText('discount_unknown_code'));
    const before = visitor.cart.total;
    typed = '';
    try {
      await cart.addCode(code);
    } catch (error) {
      keep();
      if (!error.code?.startsWith('discount_')) throw error;
      return field.fail(wordsOf(error));
    }
    return notice('done', whatChanged(code, before));
  };
  const submit = (event) => {
    event.preventDefault();
    if (field.check()) void act(button, use);
    else field.input.focus();
  };
  return h('form', { class: 'code-form', novalidate: true, onsubmit: submit }, field.node, button);
};

/** What a code that the cart has just been given does to its total. */
const whatChanged = (code, before) => {
  const { codes, total, currency } = visitor.cart;
  const given = codes.find((one) => one.code.toLowerCase() === code.toLowerCase());
  const text = total < before ? t('cartCheaper', { amount: money(before - total, currency) }) : stateText(given);
  return t('labelled', { label: given.code, text });
};
