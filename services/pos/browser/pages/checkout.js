import { h, tidy } from '../dom.js';
import { checkAll, loginForm, logOutButton, textField, tickBox } from '../forms.js';
import { isFramed, link, shop } from '../frame.js';
import { act, announce, clearAnnouncement, notice } from '../notices.js';
import { goToOrder } from '../paying.js';
import { cart, cartItems, emptyCart, loadCart, runSequentially, visitor } from '../state.js';
import { errorText, t, typeOf } from '../texts/index.js';
import { byPerformance, message, nameOf, summary, whenAndWhere, withoutCart } from './cart.js';
import { returnTexts } from './composition.js';
import { paymentChoice } from './payment-choice.js';
import { buy, isRunning, isUnsettled, keepTyped, repeat, typed } from './purchase.js';

/** Whether an unexpected error cancelled the order; shown until the cart has items again. */
let wasCancelled = false;

/** The checkout: buyer, payment, and the button to buy. */
export async function checkoutPage(_parameters, _query, { redraw }) {
  if (isUnsettled()) return unsettled(redraw);
  // A price that the visitor has just changed in the cart is what the button says.
  if (visitor.cart.id !== null || !wasCancelled) await runSequentially(loadCart);
  if (visitor.cart.id !== null) wasCancelled = false;
  if (wasCancelled) return cancelled();
  const empty = withoutCart();
  if (empty) return empty;
  const who = buyer(redraw);
  const button = h('button', { type: 'button', class: 'button button-wide' });
  const how = paymentChoice(button, visitor.cart);
  const terms = shop.requireTerms ? [termsBox()] : [];
  button.addEventListener('click', async () => {
    if (isRunning() || !checkAll([...who.fields, ...terms])) return;
    announce(t('paying'));
    await settle(
      button,
      () => buy({ ...who.body(), ...how.body(), ...(terms.length > 0 && { termsAccepted: true }) }),
      redraw,
    );
  });
  // Enter in a field outside a form presses the button.
  const onEnter = ({ key, target }) => {
    if (key === 'Enter' && target.matches('input:not([type=radio])') && !target.form) button.click();
  };
  const node = h(
    'div',
    { class: 'wrap page', onkeydown: onEnter },
    h('a', { class: 'back', href: link('/cart') }, h('span', { 'aria-hidden': 'true' }, '← '), t('cart')),
    h('h1', { tabindex: '-1' }, t('checkout')),
    h(
      'div',
      { class: 'columns' },
      h('div', { class: 'steps' }, h('section', { class: 'step' }, h('h2', {}, t('yourDetails')), who.node), how.node),
      summary(await lines(), how.isOpen && [terms.map(({ node }) => node), button]),
    ),
  );
  return { title: t('checkout'), node };
}

/** The page of a purchase with an unknown outcome: it offers a safe repetition, and waits for a running purchase. */
const unsettled = (redraw) => {
  const button = h('button', { type: 'button', class: 'button' }, t('askAgain'));
  const ask = () => settle(button, repeat, redraw);
  button.addEventListener('click', ask);
  const isWaiting = isRunning();
  if (isWaiting) void ask();
  const title = t(isWaiting ? 'paying' : 'unsettledTitle');
  const heading = h('h1', { tabindex: '-1' }, title);
  const repetition = [h('p', { class: 'lead' }, t('unsettledText')), h('p', { class: 'buttons' }, button)];
  const text = isWaiting ? h('p', { class: 'lead' }, t('oneMoment')) : repetition;
  return { title, node: h('div', { class: 'wrap page-message' }, heading, text) };
};

/** Runs the purchase and shows the order; after a failure it redraws the page if its state changed. */
const settle = async (button, action, redraw) => {
  const wasUnsettled = isUnsettled();
  let order;
  let isDearer = false;
  await act(button, async () => {
    order = await action().catch((error) => {
      isDearer = error.code === 'tariff_not_accessible';
      if (!error.orderCancelled) throw error;
      wasCancelled = true;
      emptyCart();
    });
  });
  if (order) {
    await goToOrder(order);
    return;
  }
  clearAnnouncement();
  if (isDearer) return showDearer(redraw);
  // The purchase may have failed because of the cart.
  if (!isUnsettled() && !wasCancelled) await loadCart().catch(() => undefined);
  if (wasUnsettled || isUnsettled() || withoutCart()) await redraw();
};

/** The cart has prices that the buyer has not: it is shown at his own, or the way back to it. */
const showDearer = async (redraw) => {
  const contactNumber = visitor.contact?.contactNumber;
  if (contactNumber) await cart.change(cartItems()[0].id, { contactNumber }).catch(() => undefined);
  await redraw();
  notice('error', t('cartDearer'), h('a', { href: link('/cart') }, t('cart')));
};

const cancelled = () => ({
  title: t('purchaseCancelledTitle'),
  node: message(t('purchaseCancelledTitle'), t('purchaseCancelledText')),
});

/** The buyer: the logged-in contact, a guest, or a visitor who logs in now. */
const buyer = (redraw) => {
  if (visitor.contact)
    return { node: loggedIn(redraw), fields: [], body: () => ({ contactNumber: visitor.contact.contactNumber }) };
  const fields = guestFields();
  const guest = h(
    'div',
    { class: 'form' },
    Object.values(fields).map(({ node }) => node),
    h('p', { class: 'small' }, t('guestHint', { type: typeOf(cartItems()) })),
    confirmation(),
  );
  const login = isFramed()
    ? h('p', {}, h('a', { href: link('/account') }, t('haveLogin')))
    : h('details', { class: 'login-details' }, h('summary', {}, t('haveLogin')), loginForm(redraw));
  return {
    node: [login, h('h3', {}, t('asGuest')), guest],
    fields: Object.values(fields),
    body: () => ({
      contact: Object.fromEntries(
        Object.entries(fields)
          .map(([member, field]) => [member, field.value()])
          .filter(([, value]) => value !== ''),
      ),
    }),
  };
};

const loggedIn = (redraw) => {
  const { firstName, lastName, name, email } = visitor.contact;
  return h(
    'div',
    { class: 'buyer' },
    h(
      'p',
      {},
      h('strong', {}, name ?? `${firstName ?? ''} ${lastName ?? ''}`),
      email && h('span', { class: 'small' }, email),
    ),
    email && confirmation(),
    logOutButton(redraw),
    h('p', { class: 'small' }, t('logOutGivesBack')),
  );
};

const confirmation = () => shop.sendsMails && h('p', { class: 'small' }, t('confirmationMail'));

const guestFields = () => {
  const make = (member, more) => {
    const field = textField({ label: t(member), value: tidy(typed[member]), ...more });
    const save = () => {
      typed[member] = field.input.value;
      keepTyped();
    };
    field.input.addEventListener('input', save);
    field.input.addEventListener('change', save);
    return [member, field];
  };
  // One name is enough: many people have no other.
  const isOptional = () => Boolean(typed.firstName.trim() || typed.lastName.trim());
  return Object.fromEntries([
    make('firstName', { autocomplete: 'given-name', isOptional }),
    make('lastName', { autocomplete: 'family-name', isOptional }),
    // Not of type `email`: browsers accept only ASCII there.
    make('email', { inputmode: 'email', autocomplete: 'email', rule: 'email' }),
  ]);
};

const termsBox = () => {
  const href = shop.links?.terms;
  return tickBox({
    label: t('acceptTerms', { name: shop.name }),
    problem: errorText('terms_required'),
    more: href && h('a', { href, target: '_blank', rel: 'noopener' }, t('link_terms')),
  });
};

const lines = async () => {
  const groups = await byPerformance(cartItems());
  return h(
    'ul',
    { class: 'lines' },
    groups.map((group) =>
      h(
        'li',
        {},
        h('strong', {}, nameOf(group)),
        h('span', { class: 'small' }, whenAndWhere(group.items[0])),
        h('span', {}, t('things', { type: typeOf(group.items), count: group.items.length })),
        returnTexts(group.items),
      ),
    ),
  );
};
