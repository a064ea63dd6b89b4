import { newKey, Refusal } from '../api.js';
import { h, newId } from '../dom.js';
import { go, shop } from '../frame.js';
import { act, announce } from '../notices.js';
import { cart, cartItems, loadCart, onChange, productOf, visitor } from '../state.js';
import { money, t, typeOf } from '../texts/index.js';
import { returnTexts } from './composition.js';

const LATE_MS = 1_300;

const FEW = 10;

/**
 * The choice of places of a performance: seats on a plan, quantities of unnumbered places, or both; one sum. `seatMap`:
 * of `seat-map.js`, where the performance has numbered places. `purpose`: what becomes of them.
 */
export function choicePanel(product, performance, seatMap, purpose = cartPurpose(product, performance)) {
  const offered = performance.seatCategories.filter(({ prices }) => prices.length > 0);
  if (offered.length === 0) {
    return { node: h('div', { class: 'message-box' }, h('p', {}, t('membersOnly'))), leave: () => {} };
  }
  return panelOf(product, performance, { offered, seatMap, purpose });
}

/**
 * Adds everything to the cart in one request, all or nothing. Its key stays until its outcome is known: pressing again
 * adds nothing twice.
 */
const adding = (product, performance) => {
  let pending;
  const add = async (groups) => {
    const contact = visitor.contact ? { contactNumber: visitor.contact.contactNumber } : {};
    const items = groups.map(({ item }) => ({ performanceId: performance.id, ...item, ...contact }));
    const signature = JSON.stringify(items);
    if (pending?.signature !== signature) pending = { signature, key: newKey() };
    try {
      await cart.add({ items }, pending.key);
      pending = undefined;
    } catch (error) {
      const isUnknown = error instanceof Refusal && error.isUnknown;
      // The message of a refusal begins with the item that it concerns, unless it concerns them all.
      error.about = groups[/^\$\.items\[(\d+)\]/.exec(error.message)?.[1]]?.name;
      if (isUnknown) {
        error.isUnsure = true;
        // What has arrived nevertheless is shown in the cart.
        void loadCart().catch(() => undefined);
      } else pending = undefined;
      // The places are no longer free: the cached product is stale.
      void productOf(product.id, { fresh: true }).catch(() => undefined);
      throw error;
    }
  };
  /** Whether a request is on its way, or has an unknown outcome: its places may be taken by this visitor. */
  return { add, isUnsure: () => pending !== undefined };
};

/** They go into the cart. */
const cartPurpose = (product, performance) => {
  const { type } = product;
  const most = shop.maxPlacesPerOrder;
  const inCart = () => cartItems().length;
  return {
    ...adding(product, performance),
    most,
    room: () => most - inCart(),
    label: t('addToCart'),
    isEnough: (count) => count > 0,
    full: () =>
      t(inCart() > 0 ? 'limitWithCart' : 'limit', {
        type: typeOf([...cartItems(), { productType: type }]),
        count: most,
        inCart: inCart(),
      }),
    left: (count) => t('roomLeft', { type, count }),
    done: () => go('/cart'),
  };
};

/**
 * The choice of quantities: a stepper for each fare of each category. `basket.room()` is how many more may be chosen;
 * `onSum({count, amount})` is called after each change.
 */
const quantities = ({ product, categories, currency, basket, onSum }) => {
  const rows = [];
  const sum = (those, of) => those.reduce((all, row) => all + of(row), 0);
  const count = (those) => sum(those, ({ taken }) => taken);

  const changed = () => onSum({ count: count(rows), amount: sum(rows, ({ taken, price }) => taken * price.amount) });

  /** How many a fare may have: the category's free places and the limit of the order bound them all together. */
  const mostOf = (row) => {
    const inCategory = count(rows.filter(({ category }) => category === row.category));
    return row.taken + Math.max(0, Math.min(row.category.free - inCategory, basket.room()));
  };

  const rowOf = (category, price) => {
    const id = newId('quantity');
    const name = [price.tariff, categories.length > 1 && category.name].filter(Boolean).join(', ');
    const field = h('input', { id, type: 'number', inputmode: 'numeric', min: 0, step: 1, value: '0' });
    const step = (text, sign, by) =>
      h(
        'button',
        { type: 'button', 'aria-label': t(text, { tariff: name }), onclick: () => take(row.taken + by) },
        sign,
      );
    const [less, more] = [step('less', '−', -1), step('more', '+', 1)];
    const take = (wanted) => {
      const whole = Number.isInteger(wanted) ? Math.max(0, wanted) : 0;
      const most = mostOf(row);
      if (whole > most && basket.room() <= most - row.taken) basket.refuse();
      row.taken = Math.min(whole, most);
      field.value = String(row.taken);
      changed();
    };
    field.addEventListener('change', () => take(Number(field.value)));
    const row = {
      category,
      price,
      taken: 0,
      showBounds() {
        const most = mostOf(row);
        field.max = most;
        // The attribute `disabled` would drop the focus of a pressed button.
        less.setAttribute('aria-disabled', `${row.taken === 0}`);
        more.setAttribute('aria-disabled', `${row.taken >= most}`);
      },
    };
    rows.push(row);
    return h(
      'div',
      { class: 'tariff' },
      h('label', { for: id, class: 'tariff-name' }, price.tariff),
      h('span', { class: 'tariff-price' }, money(price.amount, currency)),
      h('span', { class: 'stepper' }, less, field, more),
    );
  };

  const node = h(
    'div',
    { class: 'quantities' },
    categories.map((category) =>
      h(
        'fieldset',
        { class: `tariffs${category.free === 0 ? ' is-out' : ''}` },
        h(
          'legend',
          { class: 'tariffs-head' },
          h('span', { class: 'category-name' }, category.name),
          ' ',
          h('span', { class: 'category-stock' }, stockOf(product, category)),
        ),
        category.prices.map((price) => rowOf(category, price)),
      ),
    ),
  );
  const groups = () =>
    rows
      .filter(({ taken }) => taken > 0)
      .map(({ category, price, taken }) => ({
        name: `${category.name}, ${price.tariff}`,
        item: { seatCategoryId: category.id, tariffId: price.tariffId, quantity: taken },
      }));
  const showBounds = () => {
    for (const row of rows) row.showBounds();
  };
  return { node, groups, showBounds, leave: () => {} };
};

/** What is left of a category. */
const stockOf = ({ type }, { free: count }) => {
  if (count === 0) return t('soldOut', { type });
  return count <= FEW ? t('placesLeft', { type, count }) : t('placesFree');
};

const listPrices = ({ name, prices }) => prices.map((price) => ({ ...price, tariff: `${name}, ${price.tariff}` }));

const panelOf = (product, performance, { offered, seatMap, purpose }) => {
  const { currency, type } = product;
  const sums = new Map();
  const pickers = [];
  const sum = h('p', { class: 'sum-text' });
  const hint = h('p', { class: 'small sum-hint' });
  const button = h('button', { type: 'button', class: 'button', 'aria-disabled': 'true' }, purpose.label);
  let later;

  const chosen = () => [...sums.values()].reduce((all, { count }) => all + count, 0);
  const basket = {
    most: purpose.most,
    leaving: purpose.leaving ?? [],
    isUnsure: purpose.isUnsure,
    room: () => purpose.room() - chosen(),
    refuse: () => {
      hint.textContent = purpose.full();
      hint.classList.add('is-reason');
      announce(purpose.full());
    },
  };

  const showSum = () => {
    const count = chosen();
    const amount = [...sums.values()].reduce((all, one) => all + one.amount, 0);
    const text = count === 0 ? t('nothingChosen') : t('chosen', { type, count, price: money(amount, currency) });
    if (sum.textContent !== '' && sum.textContent !== text) announce(text);
    sum.textContent = text;
    const room = basket.room();
    hint.classList.toggle('is-reason', room <= 0);
    hint.textContent = room <= 0 ? purpose.full() : purpose.left(room);
    // The attribute `disabled` would drop the focus when the places are taken by another visitor.
    button.setAttribute('aria-disabled', `${!purpose.isEnough(count)}`);
    for (const picker of pickers) picker.showBounds?.();
  };

  const use = (make, isUsed, categories) => {
    if (!isUsed) return undefined;
    sums.set(make, { count: 0, amount: 0 });
    const onSum = (next) => {
      sums.set(make, next);
      showSum();
    };
    const picker = make({ product, performance, categories, currency, basket, onSum });
    pickers.push(picker);
    return picker.node;
  };

  const refresh = () => {
    for (const picker of pickers) picker.refresh?.();
  };

  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-disabled') === 'true') {
      announce(chosen() === 0 ? t('nothingChosen') : hint.textContent);
      return;
    }
    const went = await act(button, () => purpose.add(pickers.flatMap(({ groups }) => groups())));
    // Not a visitor who has gone elsewhere meanwhile.
    if (went && button.isConnected) purpose.done();
    if (went === false) {
      refresh();
      // Availability is up to one second old: a second refresh shows the places taken in between.
      clearTimeout(later);
      later = setTimeout(refresh, LATE_MS);
    }
  });

  const unnumbered = offered.filter(({ numbered }) => !numbered);
  const seats = use(seatMap, unnumbered.length < offered.length, offered);
  const places = use(quantities, unnumbered.length > 0, unnumbered);
  showSum();
  const stopListening = onChange(showSum);
  const bar = h('div', { class: 'sum' }, h('div', { class: 'sum-inner' }, h('div', {}, sum, hint), button));
  // What sticks to the window above the bar is as far from its edge as the bar is high.
  const observer = new ResizeObserver(() => node.style.setProperty('--bar', `${bar.offsetHeight}px`));
  observer.observe(bar);
  const leave = () => {
    clearTimeout(later);
    stopListening();
    observer.disconnect();
    for (const picker of pickers) picker.leave();
  };
  const node = h(
    'section',
    { class: 'choice' },
    seats && [h('h2', {}, t('chooseSeats')), seats],
    places && [h('h2', {}, t(seats ? 'chooseOtherPlaces' : 'choosePlaces', { type })), places],
    returnTexts(offered.flatMap(listPrices)),
    bar,
  );
  return { node, leave };
};
