import { api } from '../api.js';
import { h, newId } from '../dom.js';
import { bestSeats, boxOf, hallOf } from '../hall/hall.js';
import { fullName, listOf, seatName } from '../hall/list.js';
import { planOf } from '../hall/plan.js';
import { announce, wordsOf } from '../notices.js';
import { cartItems, onChange } from '../state.js';
import { money, t } from '../texts/index.js';
import { bestForm, chosenList, legend, pricesOf } from './beside-plan.js';

/** The plan shows what others take meanwhile, in milliseconds. */
const REFRESH_MS = 15_000;

/**
 * The places of a performance on a plan, the numbered ones also as a list. `basket.room()` is how many more may be
 * chosen, `basket.leaving` the seats that it frees; `onSum({count, amount})` is called after each change.
 */
export function seatMap({ product, performance, categories, currency, basket, onSum }) {
  /** The fare of each chosen seat, by the seat's id. */
  const chosen = new Map();
  let own = ownPlaces(performance);
  let hall;
  let plan;
  let list;

  const stateOf = ({ id, free }) => (own.has(id) ? 'own' : chosen.has(id) ? 'chosen' : free ? 'free' : 'taken');
  const captionOf = ({ name, category, seats }) => {
    if (!category) return [name, t('notForYou')].filter(Boolean);
    const free = category.numbered ? seats.filter((seat) => stateOf(seat) === 'free').length : category.free;
    return [name, pricesOf(category, currency), free === 0 ? t('soldOut') : t('seatsFree', { count: free })].filter(
      Boolean,
    );
  };

  const inspector = h('p', { class: 'plan-inspector', id: newId('seat') });
  const lost = h('p', { class: 'seats-lost', hidden: true });
  const stage = h('div', { class: 'plan-place', 'aria-busy': 'true' }, h('p', { class: 'lead late' }, t('oneMoment')));
  const key = h('div', {});

  const fareOf = (seat) => seat.category.prices.find(({ tariffId }) => tariffId === chosen.get(seat.id));
  const seats = () => [...chosen.keys()].map((id) => hall.byId.get(id));

  const inspect = (seat) => {
    if (!seat) {
      inspector.replaceChildren(t(matchMedia('(hover: none)').matches ? 'planHintTouch' : 'planHint'));
      return;
    }
    const state = stateOf(seat);
    const fares = (seat.category?.prices ?? []).map(({ tariff, amount }) => `${tariff} ${money(amount, currency)}`);
    inspector.replaceChildren(
      h('strong', {}, fullName(seat)),
      ['', seat.category?.name, ...(state === 'free' ? fares : [t(`seat_${state}`)])]
        .filter((text) => text !== undefined)
        .join(' · '),
    );
  };

  const selected = chosenList({
    currency,
    change: (seat, tariffId) => {
      chosen.set(seat.id, tariffId);
      changed();
    },
    remove: (seat) => {
      choose(seat);
      list.focus(seat);
    },
  });

  /** Shows a change of the choice, of one seat or of several. */
  const changed = (seat) => {
    list?.update(seat);
    plan?.redraw();
    key.replaceChildren(hall ? legend(hall, stateOf, currency) : '');
    selected.show(hall ? seats().map((one) => ({ seat: one, tariffId: chosen.get(one.id) })) : []);
    onSum({ count: chosen.size, amount: hall ? seats().reduce((sum, one) => sum + fareOf(one).amount, 0) : 0 });
  };

  const choose = (seat) => {
    const state = stateOf(seat);
    lost.hidden = true;
    if (state === 'taken' || state === 'own') {
      announce(`${seatName(seat)}, ${t(`seat_${state}`)}`);
      return;
    }
    if (state === 'chosen') chosen.delete(seat.id);
    else if (basket.room() <= 0) return basket.refuse();
    else chosen.set(seat.id, seat.category.prices[0].tariffId);
    changed(seat);
    inspect(seat);
  };

  const chooseBest = (count, categoryId) => {
    const room = basket.room() + chosen.size;
    if (count > room) return basket.refuse();
    lost.hidden = true;
    const isFree = ({ id, free }) => free && !own.has(id);
    const best = bestSeats(hall, count, { categoryId, isFree });
    if (best.seats.length === 0) {
      announce(t('bestNone', { count }));
      return t('bestNone', { count });
    }
    chosen.clear();
    for (const seat of best.seats) chosen.set(seat.id, seat.category.prices[0].tariffId);
    changed();
    plan.showSeats(boxOf(best.seats));
    const found = best.seats.map(fullName).join('; ');
    const text = t(best.together || count === 1 ? 'bestFound' : 'bestApart', { seats: found });
    announce(text);
    return text;
  };

  const build = (seatMapData) => {
    plan?.leave();
    hall = hallOf(seatMapData, categories);
    if (hall.seats.length === 0) {
      stage.replaceChildren(h('p', { class: 'lead' }, t('soldOutText', { type: product.type })));
      return;
    }
    plan = planOf(hall, { stateOf, captionOf, on: { choose, inspect } });
    list = listOf(hall, {
      stateOf,
      captionOf,
      describe: inspector.id,
      on: {
        choose,
        focus: (seat) => {
          inspect(seat);
          plan.focus(seat);
        },
        blur: () => plan.focus(undefined),
        key: (name) => plan.keyed(name),
      },
    });
    inspect(undefined);
    stage.replaceChildren(...views(plan.node, list, inspector), selected.node);
    stage.prepend(
      bestForm({ categories: hall.categories.filter(({ numbered }) => numbered), most: basket.most, chooseBest }),
    );
  };

  /** Takes over what has been taken or freed meanwhile; the picture and the choice stay. */
  const update = (data) => {
    for (const id of basket.leaving) if (data.seats[id]) data.seats[id].free = true;
    const ids = Object.keys(data.seats);
    const isSame = hall && ids.length === hall.seats.length && ids.every((id) => hall.byId.has(id));
    if (!isSame) build(data);
    else for (const seat of hall.seats) seat.free = data.seats[seat.id].free && seat.category !== undefined;
    own = ownPlaces(performance);
    for (const id of own) chosen.delete(id);
    const gone = basket.isUnsure() ? [] : [...chosen.keys()].filter((id) => !hall.byId.get(id)?.free);
    const names = gone.map((id) => (hall.byId.has(id) ? fullName(hall.byId.get(id)) : id));
    for (const id of gone) chosen.delete(id);
    if (gone.length > 0) {
      lost.textContent = t('seatsLost', { count: gone.length, seats: names.join('; ') });
      lost.hidden = false;
      announce(lost.textContent);
    }
    changed();
  };

  let isLoading = false;
  const refresh = async () => {
    if (isLoading) return;
    isLoading = true;
    try {
      update(await api.seatMap(product.id, performance.id));
    } catch (error) {
      // The plan that is shown stays: adding to the cart finds what has been taken.
      const words = wordsOf(error);
      if (!list) stage.replaceChildren(h('p', { class: 'lead' }, words));
    } finally {
      isLoading = false;
      stage.removeAttribute('aria-busy');
    }
  };

  const refreshIfShown = () => document.visibilityState === 'visible' && node.isConnected && void refresh();
  const timer = setInterval(refreshIfShown, REFRESH_MS);
  document.addEventListener('visibilitychange', refreshIfShown);
  const stopListening = onChange(() => {
    own = ownPlaces(performance);
    for (const id of own) chosen.delete(id);
    if (hall) changed();
  });
  const node = h('div', { class: 'seat-area' }, key, lost, stage);
  void refresh();

  const groups = () =>
    Map.groupBy(seats(), (seat) => `${seat.category.id} ${chosen.get(seat.id)}`)
      .values()
      .map((those) => ({
        name: those.map(fullName).join('; '),
        names: those.map((seat) => `${fullName(seat)}, ${fareOf(seat).tariff}`),
        item: {
          seatCategoryId: those[0].category.id,
          tariffId: chosen.get(those[0].id),
          placeIds: those.map(({ id }) => id),
          quantity: those.length,
        },
      }))
      .toArray();
  const leave = () => {
    clearInterval(timer);
    document.removeEventListener('visibilitychange', refreshIfShown);
    stopListening();
    plan?.leave();
  };
  return { node, groups: () => (hall ? groups() : []), refresh, leave };
}

/** The performance's places in the cart. */
const ownPlaces = ({ id }) =>
  new Set(cartItems().flatMap(({ performanceId, place }) => (performanceId === id && place ? [place.id] : [])));

/** The picture and the list, with a switch between them; in the picture the list is there for keyboards only. */
const views = (picture, list, inspector) => {
  const name = newId('view');
  const frame = h('div', { class: 'plan-frame' }, picture, inspector, list.node);
  const show = (isList) => {
    frame.classList.toggle('is-list', isList);
    list.setVisible(isList);
  };
  const option = (value, isList) =>
    h(
      'label',
      { class: 'view-option' },
      h('input', { type: 'radio', name, checked: !isList, onchange: () => show(isList) }),
      h('span', {}, t(value)),
    );
  show(false);
  return [
    h('fieldset', { class: 'view-switch' }, h('legend', { class: 'unseen' }, t('view')), [
      option('viewPlan', false),
      option('viewList', true),
    ]),
    frame,
  ];
};
