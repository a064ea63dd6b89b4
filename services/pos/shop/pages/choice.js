import { newKey, Refusal } from '../api.js';
import { h, newId } from '../dom.js';
import { money } from '../format.js';
import { go } from '../frame.js';
import { act, announce } from '../notices.js';
import { cart, productOf, visitor } from '../state.js';
import { t } from '../texts/index.js';
import { quantities } from './quantities.js';
import { seatMap } from './seat-map.js';

const FEW = 10;
const LATE_MS = 1_300;

const stock = ({ free }) => {
  if (free === 0) return t('soldOut');
  return free <= FEW ? t('placesLeft', { count: free }) : t('placesFree');
};

const pricesOf = ({ prices }, currency) => {
  const amounts = prices.map(({ amount }) => amount);
  const [low, high] = [Math.min(...amounts), Math.max(...amounts)];
  return low === high
    ? money(low, currency)
    : t('priceRange', { low: money(low, currency), high: money(high, currency) });
};

const categories = (performance, currency, chosen, choose) => {
  const group = newId('category');
  return h(
    'fieldset',
    { class: 'categories' },
    h('legend', {}, h('h2', {}, t('chooseCategory'))),
    performance.seatCategories.map((category) =>
      h(
        'label',
        { class: `category${category.free === 0 ? ' is-out' : ''}` },
        h('input', {
          type: 'radio',
          name: group,
          checked: category.id === chosen.id,
          disabled: category.free === 0,
          onchange: () => choose(category),
        }),
        h('span', { class: 'category-name' }, category.name),
        h('span', { class: 'category-stock' }, stock(category)),
        category.prices.length > 0 && h('span', { class: 'category-price' }, pricesOf(category, currency)),
      ),
    ),
  );
};

/**
 * Adds the groups to the cart one after the other; each has its own key until its outcome is known. A refusal says how
 * many places are in the cart nevertheless.
 */
const adding = (product, performance, keys) => async (category, groups) => {
  let added = 0;
  for (const group of groups) {
    const body = {
      performanceId: performance.id,
      seatCategoryId: category.id,
      ...group,
      ...(visitor.contact ? { contactNumber: visitor.contact.contactNumber } : {}),
    };
    const signature = JSON.stringify(body);
    const key = keys.get(signature) ?? newKey();
    keys.set(signature, key);
    try {
      await cart.add(body, key);
      keys.delete(signature);
      added += group.placeIds?.length ?? group.quantity ?? 1;
    } catch (error) {
      if (!(error instanceof Refusal && error.isUnknown)) keys.delete(signature);
      // The places are no longer free: the cached product is stale.
      void productOf(product.id, { fresh: true }).catch(() => undefined);
      error.added = added;
      throw error;
    }
  }
};

/** The choice of places of a performance: a category, then seats on the map or a quantity per tariff. */
export const choicePanel = (product, performance) => {
  const offered = performance.seatCategories.filter(({ prices }) => prices.length > 0);
  if (offered.length === 0) {
    return { node: h('div', { class: 'message-box' }, h('p', {}, t('membersOnly'))), leave: () => {} };
  }
  return panelOf(product, { ...performance, seatCategories: offered });
};

const panelOf = (product, performance) => {
  const { currency } = product;
  const add = adding(product, performance, new Map());
  const below = h('div', { class: 'picker' });
  const sum = h('p', { class: 'sum-text' });
  const button = h('button', { type: 'button', class: 'button', 'aria-disabled': 'true' }, t('addToCart'));
  let category = performance.seatCategories.find(({ free }) => free > 0) ?? performance.seatCategories[0];
  let picker;
  let later;

  const showSum = ({ count, amount }) => {
    const text = count === 0 ? t('nothingChosen') : t('chosen', { count, price: money(amount, currency) });
    if (sum.textContent !== '' && sum.textContent !== text) announce(text);
    sum.textContent = text;
    // The attribute `disabled` would drop the focus when the places are taken by another visitor.
    button.setAttribute('aria-disabled', `${count === 0}`);
  };

  const choose = (next) => {
    category = next;
    const make = next.numbered ? seatMap : quantities;
    // A seat map that loads late must not change the sum of another category.
    const own = make({
      product,
      performance,
      category: next,
      currency,
      onSum: (sum) => picker === own && showSum(sum),
    });
    picker = own;
    below.replaceChildren(picker.node);
    showSum({ count: 0, amount: 0 });
  };

  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-disabled') === 'true') {
      announce(t('nothingChosen'));
      return;
    }
    const went = await act(button, () => add(category, picker.groups()));
    if (went) go('/cart');
    if (went === false) {
      picker.refresh?.();
      // Availability is up to one second old: a second refresh shows the places taken in between.
      clearTimeout(later);
      later = setTimeout(() => picker.refresh?.(), LATE_MS);
    }
  });

  choose(category);
  const bar = h('div', { class: 'sum' }, h('div', { class: 'sum-inner' }, sum, button));
  const many = performance.seatCategories.length > 1;
  const title = !many && h('h2', {}, category.numbered ? t('chooseSeats') : t('choosePlaces'));
  const alone = !many && h('p', { class: 'category-alone' }, `${category.name} · ${stock(category)}`);
  const node = h(
    'section',
    { class: 'choice' },
    many ? categories(performance, currency, category, choose) : [title, alone],
    below,
    bar,
  );
  return { node, leave: () => clearTimeout(later) };
};
