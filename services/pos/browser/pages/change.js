// What a buyer gives back of an order, or has in its place: chosen, shown with what it costs, and only then done.
import { newKey, Refusal } from '../api.js';
import { h } from '../dom.js';
import { radioCards } from '../forms.js';
import { act, announce, notice } from '../notices.js';
import { productOf } from '../state.js';
import { errorText, money, t, typeOf } from '../texts/index.js';
import { whenAndWhere } from './cart.js';
import { choicePanel } from './choice.js';
import { partsList } from './composition.js';
import { isOpen, itemWords, KINDS } from './order-changes.js';
import { paymentChoice } from './payment-choice.js';
import { dateChoice, isFree } from './show.js';

const feeOf = ({ returnPolicy }, kind) => returnPolicy[`${kind}Fee`];

/**
 * The steps of a change of an order, in the place of its page. `its.quote(body)` and `its.change(body, key)` ask the
 * server; `close()` leads back, `done(change)` is called after it.
 */
export function changeSteps(order, its, { close, done }) {
  const chosen = new Map();
  /** What takes the place of each item that is exchanged, by its id. */
  const wanted = new Map();
  const node = h('div', { class: 'wrap page change' });
  let leaveStep = () => {};

  const show = (title, back, ...content) => {
    leaveStep();
    leaveStep = () => {};
    const button = h('button', { type: 'button', class: 'link-button', onclick: back }, `← ${t('back')}`);
    const heading = h('h1', { tabindex: '-1' }, title);
    node.replaceChildren(button, heading, ...content.flat().filter(Boolean));
    heading.focus();
    window.scrollTo(0, 0);
  };

  const listOf = (kind) => Object.values(order.items).filter(({ id }) => chosen.get(id) === kind);

  const choose = () => {
    const onward = h('button', { type: 'button', class: 'button' }, t('next'));
    onward.addEventListener('click', () => {
      if (chosen.size === 0) return announce(t('nothingChosen'));
      wanted.clear();
      return act(onward, next);
    });
    show(
      t('changeTitle'),
      close,
      Object.values(order.items).map((item) => itemChoice(order, item, chosen)),
      h('p', { class: 'buttons' }, onward),
    );
  };

  /** Other places for what is exchanged, product by product; then what all of it costs. */
  const next = async () => {
    const [first] = listOf('exchange').filter(({ id }) => !wanted.has(id));
    if (!first) return review();
    const items = listOf('exchange').filter(({ productId }) => productId === first.productId);
    const product = freed(await productOf(first.productId, { fresh: true }), items);
    const performances = product.performances.filter(isFree);
    if (performances.length === 0) throw new Refusal('order_not_on_sale');
    const isNumbered = performances.some((one) => one.seatCategories.some(({ numbered }) => numbered));
    const { seatMap } = isNumbered ? await import('./seat-map.js') : {};
    const panel = h('div', { class: 'panel' });
    const take = (performance) => {
      leaveStep();
      const shown = choicePanel(
        product,
        performance,
        seatMap,
        exchangePurpose(product, performance, items, wanted, next),
      );
      panel.replaceChildren(shown.node);
      leaveStep = shown.leave;
    };
    show(
      product.name,
      choose,
      h('p', { class: 'lead' }, t('exchangeLead', { type: typeOf(items), count: items.length })),
      performances.length > 1
        ? dateChoice(performances, performances[0].id, take)
        : h('p', { class: 'only-date' }, whenAndWhere({ ...performances[0], productType: product.type })),
      panel,
    );
    take(performances[0]);
  };

  const review = async () => {
    const body = {
      returns: listOf('return').map(({ id: lineId }) => ({ lineId })),
      exchanges: listOf('exchange').map(({ id: lineId }) => ({ lineId, ...wanted.get(lineId).place })),
    };
    const quote = await its.quote(body);
    if (!quote.available) return refuse(quote);
    const { difference, due, credit } = quote;
    const key = newKey();
    const button = h('button', { type: 'button', class: 'button button-wide' }, t('changeNow'));
    const how = due > 0 ? paymentChoice(button, { total: due, currency: order.currency }) : undefined;
    button.addEventListener('click', async () => {
      let change;
      const went = await act(button, async () => {
        change = await its.change({ ...body, difference, ...how?.body() }, key).catch((error) => {
          if (error.code !== 'change_difference_changed') throw error;
          return undefined;
        });
      });
      if (!went) return;
      if (change) return done(change);
      // What is due now is shown again before it is paid.
      await act(button, review);
      notice('error', errorText('change_difference_changed'));
    });
    const shown = (amount) => money(amount, order.currency);
    show(
      t('changeReview'),
      choose,
      partsList(partsOf(order, quote, wanted, body), { name: t('difference'), amount: difference }, order.currency),
      credit > 0 && h('p', {}, t('changeCredit', { amount: shown(credit) })),
      due > 0 && h('p', {}, t('changeDue', { amount: shown(due) })),
      difference === 0 && h('p', {}, t('changeNothing')),
      h('p', { class: 'small' }, t('changeFinal')),
      how?.node,
      (!how || how.isOpen) && h('p', { class: 'buttons' }, button),
    );
  };

  /** The first step stays, with why it leads no further. */
  const refuse = ({ refusals }) => {
    choose();
    const words = refusals.map(({ lineId, status }) =>
      [lineId && order.items[lineId] && `${itemWords(order.items[lineId])}:`, errorText(status)]
        .filter(Boolean)
        .join(' '),
    );
    notice('error', [...new Set(words)].join(' '));
  };

  choose();
  return { node, leave: () => leaveStep() };
}

/** Whether an item stays, goes back or is exchanged, and what that costs. */
const itemChoice = (order, item, chosen) => {
  const kinds = KINDS.filter((kind) => isOpen(item, kind));
  const legend = [h('strong', {}, itemWords(item)), h('span', { class: 'small' }, whenAndWhere(item))];
  if (kinds.length === 0) return h('div', { class: 'change-item' }, legend, h('p', {}, t('changeNever')));
  const options = ['keep', ...kinds].map((value) => {
    const fee = value !== 'keep' && feeOf(item, value);
    const text = value !== 'keep' && t(fee > 0 ? 'changeFee' : 'changeFree', { amount: money(fee, order.currency) });
    return { value, label: t(`change_${value}`), text };
  });
  const onchange = (value) => (value === 'keep' ? chosen.delete(item.id) : chosen.set(item.id, value));
  return h(
    'div',
    { class: 'change-item' },
    radioCards({ legend, options, chosen: chosen.get(item.id) ?? 'keep', onchange }),
  );
};

/** With what is exchanged as free as it will be: the same place may be had at another fare. */
const freed = (product, items) => ({
  ...product,
  performances: product.performances.map((one) => {
    const own = items.filter(({ performanceId }) => performanceId === one.id);
    if (own.length === 0) return one;
    const seatCategories = one.seatCategories.map((category) => ({
      ...category,
      free: category.free + own.filter(({ seatCategoryId }) => seatCategoryId === category.id).length,
    }));
    return { ...one, seatCategories, availability: one.availability === 'sold_out' ? 'few' : one.availability };
  }),
});

/** Whether an item keeps its place. */
const isKept = (item, { performanceId, seatCategoryId, placeId }) =>
  performanceId === item.performanceId &&
  (placeId ? placeId === item.place?.id : seatCategoryId === item.seatCategoryId);

/** As many places as are exchanged; each takes the place of one of the items, its own one if that is chosen. */
const exchangePurpose = (product, performance, items, wanted, next) => {
  const { length: most } = items;
  const left = (count) => t('exchangeLead', { type: product.type, count });
  const when = whenAndWhere({ ...performance, productType: product.type });
  return {
    most,
    room: () => most,
    leaving: items.flatMap(({ place }) => place?.id ?? []),
    label: t('next'),
    isUnsure: () => false,
    isEnough: (count) => count === most,
    full: () => t('exchangeFull'),
    left,
    done: () => {},
    add: async (groups) => {
      const all = groups.flatMap(({ name, names, item: { seatCategoryId, tariffId, quantity, placeIds = [] } }) =>
        Array.from({ length: quantity }, (_, index) => ({
          place: {
            ...{ performanceId: performance.id, seatCategoryId, tariffId },
            ...(placeIds[index] && { placeId: placeIds[index] }),
          },
          words: [product.name, names?.[index] ?? name, when].join(' · '),
        })),
      );
      const takes = (item, index) => index >= 0 && wanted.set(item.id, ...all.splice(index, 1));
      const findKept = (item) => all.findIndex(({ place }) => isKept(item, place));
      const others = items.filter((item) => !takes(item, findKept(item)));
      for (const item of others) takes(item, 0);
      try {
        await next();
      } catch (error) {
        for (const { id } of items) wanted.delete(id);
        throw error;
      }
    },
  };
};

/** What leaves the order, what comes, and the fees. */
const partsOf = ({ items }, { lines, fee }, wanted, { returns, exchanges }) => [
  ...[...returns, ...exchanges].map(({ lineId }) => ({
    name: `${itemWords(items[lineId])} · ${whenAndWhere(items[lineId])}`,
    amount: -items[lineId].amount,
  })),
  ...lines.map(({ lineId, amount }) => ({ name: t('newItem', { item: wanted.get(lineId).words }), amount })),
  ...(fee > 0 ? [{ name: t('changeFees'), amount: fee }] : []),
];
