import { newKey, Refusal } from '../api.js';
import { h } from '../dom.js';
import { money } from '../format.js';
import { go, shop } from '../frame.js';
import { act, announce } from '../notices.js';
import { cart, cartItems, loadCart, onChange, productOf, visitor } from '../state.js';
import { t, typeOf } from '../texts/index.js';
import { quantities } from './quantities.js';
import { seatMap } from './seat-map.js';

const LATE_MS = 1_300;

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

/** The choice of places of a performance: seats on a plan, quantities of unnumbered places, or both; one sum. */
export const choicePanel = (product, performance) => {
  const offered = performance.seatCategories.filter(({ prices }) => prices.length > 0);
  if (offered.length === 0) {
    return { node: h('div', { class: 'message-box' }, h('p', {}, t('membersOnly'))), leave: () => {} };
  }
  return panelOf(product, performance, offered, shop.maxPlacesPerOrder);
};

const panelOf = (product, performance, offered, most) => {
  const { currency, type } = product;
  const { add, isUnsure } = adding(product, performance);
  const sums = new Map();
  const pickers = [];
  const sum = h('p', { class: 'sum-text' });
  const hint = h('p', { class: 'small sum-hint' });
  const button = h('button', { type: 'button', class: 'button', 'aria-disabled': 'true' }, t('addToCart'));
  let later;

  const chosen = () => [...sums.values()].reduce((all, { count }) => all + count, 0);
  const inCart = () => cartItems().length;
  const limitText = () =>
    t(inCart() > 0 ? 'limitWithCart' : 'limit', {
      type: typeOf([...cartItems(), { productType: type }]),
      count: most,
      inCart: inCart(),
    });
  const basket = {
    most,
    isUnsure,
    room: () => most - inCart() - chosen(),
    refuse: () => {
      hint.textContent = limitText();
      hint.classList.add('is-reason');
      announce(limitText());
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
    hint.textContent = room <= 0 ? limitText() : t('roomLeft', { type, count: room });
    // The attribute `disabled` would drop the focus when the places are taken by another visitor.
    button.setAttribute('aria-disabled', `${count === 0}`);
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
      announce(t('nothingChosen'));
      return;
    }
    const went = await act(button, () => add(pickers.flatMap(({ groups }) => groups())));
    if (went) go('/cart');
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
  const leave = () => {
    clearTimeout(later);
    stopListening();
    for (const picker of pickers) picker.leave();
  };
  const node = h(
    'section',
    { class: 'choice' },
    seats && [h('h2', {}, t('chooseSeats')), seats],
    places && [h('h2', {}, t(seats ? 'chooseOtherPlaces' : 'choosePlaces', { type })), places],
    bar,
  );
  return { node, leave };
};
