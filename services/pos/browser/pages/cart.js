import { h, newId, tidy } from '../dom.js';
import { link } from '../frame.js';
import { act, announce, clearNotices, showError } from '../notices.js';
import { drawnPicture } from '../poster.js';
import { cart, cartItems, loadCart, onChange, productIfShown, timeLeft, visitor } from '../state.js';
import { clock, isShow, longDay, money, t, time, validityLine } from '../texts/index.js';
import { placeName } from '../ticket.js';
import { codesBlock } from './codes.js';
import { itemComposition, returnTexts, totalComposition } from './composition.js';

/** A page with one message and a link to the programme. */
export function message(title, text, ...more) {
  return h(
    'div',
    { class: 'wrap page-message' },
    h('h1', { tabindex: '-1' }, title),
    h('p', { class: 'lead' }, text),
    h('p', { class: 'buttons' }, more, h('a', { class: 'button', href: link('/') }, t('toProgramme'))),
  );
}

/** The items of a cart or an order by performance, with their products. */
export async function byPerformance(items) {
  const groups = [...Map.groupBy(items, ({ performanceId }) => performanceId)];
  return Promise.all(
    groups.map(async ([performanceId, those]) => {
      const product = await productIfShown(those[0].productId);
      const performance = product?.performances.find(({ id }) => id === performanceId);
      return { product, performance, items: those };
    }),
  );
}

/** The name of what is sold, also after it has closed. */
export function nameOf({ product, items: [item] }) {
  return product?.name ?? item.productName ?? t('aShow');
}

/** Date or validity, and venue, of an item or ticket in one line. */
export function whenAndWhere(item) {
  const { productType: type, localStartDate, localValidUntil: localEndDate, timeZone, venue } = item;
  const evening = [localStartDate && longDay(localStartDate), localStartDate && timeZone && time(item)];
  const when = isShow(type) ? evening : [validityLine({ type, localStartDate, localEndDate })];
  return [...when, venue?.name].filter(Boolean).join(' · ');
}

/** The seat category of an item. */
export function categoryOf({ performance }, { seatCategoryId }) {
  return performance?.seatCategories.find(({ id }) => id === seatCategoryId);
}

/** How long the places are still held. */
export function countdown(className) {
  const left = h('strong', { 'data-clock': true, role: 'timer', 'aria-live': 'off' }, clock(timeLeft()));
  return h('p', { class: className }, h('span', {}, t('keptFor')), left);
}

/** Total, remaining time and the button to continue. */
export function summary(...more) {
  return h(
    'aside',
    { class: 'summary', 'aria-label': t('summary') },
    countdown('summary-clock'),
    totalComposition(visitor.cart),
    more,
  );
}

/** The page for an empty or expired cart; undefined if the cart has items. */
export function withoutCart() {
  if (visitor.cartExpired)
    return { title: t('cartExpiredTitle'), node: message(t('cartExpiredTitle'), t('cartExpiredText')) };
  if (cartItems().length > 0) return undefined;
  const empty = message(t('cartEmptyTitle'), t('cartEmptyText'));
  return { title: t('cart'), node: h('div', {}, empty, h('div', { class: 'wrap' }, codesBlock())) };
}

/** The cart: its items, their beneficiaries, and the remaining time of the hold. */
export async function cartPage() {
  await loadCart();
  let shown;
  let page;
  // The cart may change while the page waits for what it shows.
  do {
    shown = structure();
    page = await drawn();
  } while (shown !== structure());
  const node = h('div', {}, page.node);
  const leave = onChange(async () => {
    const wanted = structure();
    if (wanted === shown || visitor.cartExpired) return;
    shown = wanted;
    try {
      const next = await drawn();
      if (shown === wanted) replace(node, next);
    } catch (error) {
      // A product did not load: the next change of the cart draws it.
      if (shown !== wanted || !node.isConnected) return;
      shown = undefined;
      showError(error);
    }
  });
  return { title: page.title, node, leave };
}

/** The values that require a redraw when they change; a changed name does not. */
const structure = () => {
  const items = cartItems().map(({ id, tariffId, components, amount }) => [id, tariffId, components, amount]);
  return JSON.stringify([visitor.cartExpired, items, visitor.cart.fees, visitor.cart.codes]);
};

const drawn = async () => {
  const empty = withoutCart();
  if (empty) return empty;
  const groups = await byPerformance(cartItems());
  const clear = h('button', { type: 'button', class: 'link-button' }, t('emptyCart'));
  clear.addEventListener('click', () => act(clear, () => cart.clear()));
  const onward = [
    h('a', { class: 'button button-wide', href: link('/checkout') }, t('toCheckout')),
    h('a', { class: 'link', href: link('/') }, t('continueShopping')),
  ];
  const node = h(
    'div',
    { class: 'wrap page' },
    h('h1', { tabindex: '-1' }, t('cart')),
    h(
      'div',
      { class: 'columns' },
      h('div', { class: 'cart-groups' }, groups.map(groupBlock), codesBlock(), h('p', {}, clear)),
      summary(onward),
    ),
  );
  return { title: t('cart'), node };
};

const groupBlock = (group) =>
  h(
    'section',
    { class: 'cart-group' },
    h('div', { class: 'cart-picture' }, group.product && drawnPicture(group.product)),
    h(
      'div',
      { class: 'cart-text' },
      h('h2', {}, nameOf(group)),
      h('p', { class: 'when' }, whenAndWhere(group.items[0])),
      h(
        'ul',
        { class: 'items' },
        group.items.map((item) => itemRow(group, item)),
      ),
      returnTexts(group.items),
    ),
  );

const itemRow = (group, item) => {
  const category = categoryOf(group, item);
  const title = nameOf(group);
  const shown = [category?.name !== title && category?.name, placeName(item.place)].filter(Boolean).join(' · ');
  const name = shown || title;
  const button = h(
    'button',
    { type: 'button', class: 'link-button', 'aria-label': t('removeItem', { item: name }) },
    t('remove'),
  );
  button.addEventListener('click', async () => {
    const went = await act(button, () => cart.remove(item.id));
    if (went) announce(t('removed'));
  });
  return h(
    'li',
    { class: 'item', 'data-item': item.id },
    h(
      'div',
      { class: 'item-head' },
      h('span', { class: 'item-name' }, shown),
      tariffChoice(group, item, name),
      h('span', { class: 'item-price' }, money(item.amount, visitor.cart.currency)),
      button,
    ),
    itemComposition(item, visitor.cart.currency),
    item.productType !== 'goods' && beneficiary(item),
  );
};

const tariffChoice = (group, item, name) => {
  const prices = categoryOf(group, item)?.prices ?? [];
  if (prices.length < 2 || !prices.some(({ tariffId }) => tariffId === item.tariffId))
    return h('span', { class: 'item-tariff' }, item.tariff);
  const change = async ({ target }) => {
    const contactNumber = visitor.contact?.contactNumber;
    const went = await act(target, () =>
      cart.change(item.id, { tariffId: target.value, ...(contactNumber ? { contactNumber } : {}) }),
    );
    if (!went) target.value = item.tariffId;
  };
  return h(
    'select',
    { 'aria-label': `${t('tariff')}, ${name}`, 'data-focus-key': `tariff-${item.id}`, onchange: change },
    prices.map(({ tariffId, tariff }) =>
      h('option', { value: tariffId, selected: tariffId === item.tariffId }, tariff),
    ),
  );
};

const beneficiary = (item) => {
  const field = (member, text) => {
    const id = newId('name');
    // Writes run one after the other: the last typed name is the stored one.
    const change = async ({ target }) => {
      target.value = tidy(target.value);
      clearNotices();
      try {
        await cart.change(item.id, { [member]: target.value === '' ? null : target.value });
        announce(t('saved'));
      } catch (error) {
        showError(error);
      }
    };
    return h(
      'span',
      { class: 'field' },
      h('label', { for: id }, text),
      h('input', {
        id,
        type: 'text',
        maxlength: 100,
        autocomplete: 'off',
        value: item[member] ?? '',
        'data-focus-key': `${member}-${item.id}`,
        onchange: change,
      }),
    );
  };
  return h(
    'fieldset',
    { class: 'beneficiary' },
    h('legend', {}, t('nameOnTicket', { type: item.productType })),
    field('beneficiaryFirstName', t('firstName')),
    field('beneficiaryLastName', t('lastName')),
  );
};

/** Redraws the page; the focused control keeps the focus. */
const replace = (node, next) => {
  const focusKey = document.activeElement?.getAttribute('data-focus-key');
  const had = node.contains(document.activeElement);
  node.replaceChildren(next.node);
  if (focusKey) node.querySelector(`[data-focus-key="${focusKey}"]`)?.focus();
  else if (had) node.querySelector('h1')?.focus();
};
