import { timeLeft } from '../countdown.js';
import { h, newId, tidy } from '../dom.js';
import { clock, longDay, money, time } from '../format.js';
import { act, announce, clearNotices, showError } from '../notices.js';
import { poster } from '../poster.js';
import { cart, cartItems, loadCart, onChange, productIfShown, visitor } from '../state.js';
import { t } from '../texts/index.js';
import { placeName } from '../ticket.js';

/** A page that says one thing, and leads to the programme. */
export const message = (title, text) =>
  h(
    'div',
    { class: 'wrap page-message' },
    h('h1', { tabindex: '-1' }, title),
    h('p', { class: 'lead' }, text),
    h('p', { class: 'buttons' }, h('a', { class: 'button', href: '#/' }, t('toProgramme'))),
  );

/** Items of the cart or of an order, by performance, with what the programme says of each. */
export const byPerformance = async (items) => {
  const groups = [...Map.groupBy(items, ({ performanceId }) => performanceId)];
  return Promise.all(
    groups.map(async ([performanceId, those]) => {
      const product = await productIfShown(those[0].productId);
      const performance = product?.performances.find(({ id }) => id === performanceId);
      return { product, performance, items: those };
    }),
  );
};

/** When and where, in one line. */
export const whenAndWhere = ({ product, performance, items = [] }) => {
  if (!performance) return items[0]?.startDate ? longDay(items[0].startDate) : '';
  const { startDate, timeZone, venue } = performance;
  const when = product.type === 'show' ? [longDay(startDate, timeZone), time(startDate, timeZone)] : [];
  return [...when, venue?.name].filter(Boolean).join(' · ');
};

/** The name of a category of the group's performance. */
export const categoryOf = ({ performance }, { seatCategoryId }) =>
  performance?.seatCategories.find(({ id }) => id === seatCategoryId);

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
    { 'aria-label': `${t('tariff')}, ${name}`, 'data-keep': `tariff-${item.id}`, onchange: change },
    prices.map(({ tariffId, tariff }) =>
      h('option', { value: tariffId, selected: tariffId === item.tariffId }, tariff),
    ),
  );
};

const beneficiary = (item) => {
  const field = (member, text) => {
    const id = newId('name');
    // One write after the other, so that what was typed last is what stays.
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
        'data-keep': `${member}-${item.id}`,
        onchange: change,
      }),
    );
  };
  return h(
    'fieldset',
    { class: 'beneficiary' },
    h('legend', {}, t('nameOnTicket')),
    field('beneficiaryFirstName', t('firstName')),
    field('beneficiaryLastName', t('lastName')),
  );
};

const itemRow = (group, item) => {
  const category = categoryOf(group, item);
  const name = [category?.name, placeName(item.place, category)].filter(Boolean).join(' · ');
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
      h('span', { class: 'item-name' }, name),
      tariffChoice(group, item, name),
      h('span', { class: 'item-price' }, money(item.amount, visitor.cart.currency)),
      button,
    ),
    beneficiary(item),
  );
};

const groupBlock = (group) =>
  h(
    'section',
    { class: 'cart-group' },
    h('div', { class: 'cart-picture' }, group.product && poster(group.product.code)),
    h(
      'div',
      { class: 'cart-text' },
      h('h2', {}, group.product?.name ?? t('aShow')),
      h('p', { class: 'when' }, whenAndWhere(group)),
      h(
        'ul',
        { class: 'items' },
        group.items.map((item) => itemRow(group, item)),
      ),
    ),
  );

/** Total, time and the way on. */
export const summary = (...more) =>
  h(
    'aside',
    { class: 'summary', 'aria-label': t('summary') },
    h(
      'p',
      { class: 'summary-clock' },
      h('span', {}, t('keptFor')),
      h('strong', { 'data-clock': true, role: 'timer', 'aria-live': 'off' }, clock(timeLeft())),
    ),
    h(
      'dl',
      {},
      h('div', {}, h('dt', {}, t('places')), h('dd', {}, cartItems().length)),
      h(
        'div',
        { class: 'total' },
        h('dt', {}, t('total')),
        h('dd', {}, money(visitor.cart.total, visitor.cart.currency)),
      ),
    ),
    more,
  );

/** What a page shows when there is nothing to buy in the cart; undefined when there is. */
export const withoutCart = () => {
  if (visitor.cartExpired)
    return { title: t('cartExpiredTitle'), node: message(t('cartExpiredTitle'), t('cartExpiredText')) };
  if (cartItems().length === 0) return { title: t('cart'), node: message(t('cartEmptyTitle'), t('cartEmptyText')) };
  return undefined;
};

const drawn = async () => {
  const empty = withoutCart();
  if (empty) return empty;
  const groups = await byPerformance(cartItems());
  const clear = h('button', { type: 'button', class: 'link-button' }, t('emptyCart'));
  clear.addEventListener('click', () => act(clear, () => cart.clear()));
  const onward = [
    h('a', { class: 'button button-wide', href: '#/checkout' }, t('toCheckout')),
    h('a', { class: 'link', href: '#/' }, t('continueShopping')),
  ];
  const node = h(
    'div',
    { class: 'wrap page' },
    h('h1', { tabindex: '-1' }, t('cart')),
    h(
      'div',
      { class: 'columns' },
      h('div', { class: 'cart-groups' }, groups.map(groupBlock), h('p', {}, clear)),
      summary(onward),
    ),
  );
  return { title: t('cart'), node };
};

/** Draws the page anew and leaves the focus on the control that had it. */
const replace = (node, next) => {
  const kept = document.activeElement?.getAttribute('data-keep');
  const had = node.contains(document.activeElement);
  node.replaceChildren(next.node);
  if (kept) node.querySelector(`[data-keep="${kept}"]`)?.focus();
  else if (had) node.querySelector('h1')?.focus();
};

/** What the page's structure depends on; names are typed into it and need no new one. */
const structure = () =>
  JSON.stringify([visitor.cartExpired, cartItems().map(({ id, tariffId, amount }) => [id, tariffId, amount])]);

/** The cart: what is held, for whom, and for how long. */
export const cartPage = async () => {
  await loadCart();
  const first = await drawn();
  const node = h('div', {}, first.node);
  let shown = structure();
  const leave = onChange(async () => {
    const wanted = structure();
    if (wanted === shown || visitor.cartExpired) return;
    shown = wanted;
    const next = await drawn();
    if (shown === wanted) replace(node, next);
  });
  return { title: first.title, node, leave };
};
