import { api } from '../api.js';
import { h, newId } from '../dom.js';
import { money } from '../format.js';
import { announce, wordsOf } from '../notices.js';
import { t } from '../texts/index.js';
import { moveFocus } from './seat-keys.js';

const byNumber = new Intl.Collator('en', { numeric: true });

const rowsOf = (places) =>
  [...Map.groupBy(places, ({ row }) => row ?? '')]
    .toSorted(([a], [b]) => byNumber.compare(a, b))
    .map(([name, seats]) => ({
      name,
      seats: seats.toSorted((a, b) => byNumber.compare(a.seat ?? a.label, b.seat ?? b.label)),
    }));

const nameOf = ({ row, seat, label }) => (row && seat ? t('seatName', { row, seat }) : label);

const legend = () =>
  h(
    'ul',
    { class: 'legend', 'aria-label': t('legend') },
    ['free', 'selected', 'taken'].map((state) =>
      h('li', {}, h('span', { class: `seat-sample is-${state}`, 'aria-hidden': 'true' }), t(`seat_${state}`)),
    ),
  );

/** The seats of a numbered category as a grid of buttons: one tab stop, arrow keys inside. */
export const seatMap = ({ product, performance, category, currency, onSum }) => {
  const chosen = new Map();
  const buttons = new Map();
  const map = h('div', { class: 'seats', role: 'grid', 'aria-label': t('seatMap'), 'aria-busy': 'true' });
  map.append(h('p', { class: 'lead late', 'aria-hidden': 'true' }, t('oneMoment')));
  const list = h('ul', { class: 'chosen-seats', 'aria-label': t('chosenSeats') });
  const [first] = category.prices;

  const priceOf = (tariffId) => category.prices.find((price) => price.tariffId === tariffId)?.amount ?? 0;

  const sum = () =>
    onSum({
      count: chosen.size,
      amount: [...chosen.values()].reduce((all, { tariffId }) => all + priceOf(tariffId), 0),
    });

  const label = (place) => {
    const state = chosen.has(place.id) ? 'selected' : place.free ? 'free' : 'taken';
    const button = buttons.get(place.id);
    button.className = `seat is-${state}`;
    button.setAttribute('aria-label', `${nameOf(place)}, ${t(`seat_${state}`)}`);
    button.setAttribute('aria-pressed', `${state === 'selected'}`);
    if (place.free) button.removeAttribute('aria-disabled');
    else button.setAttribute('aria-disabled', 'true');
  };

  const chosenRow = ({ place, tariffId }) => {
    const id = newId('tariff');
    const change = ({ target }) => {
      chosen.set(place.id, { place, tariffId: target.value });
      drawList();
      document.getElementById(`for-${place.id}`)?.focus();
    };
    return h(
      'li',
      {},
      h('label', { for: `for-${place.id}`, id }, nameOf(place)),
      h(
        'select',
        { id: `for-${place.id}`, onchange: change },
        category.prices.map((price) =>
          h(
            'option',
            { value: price.tariffId, selected: price.tariffId === tariffId },
            `${price.tariff} · ${money(price.amount, currency)}`,
          ),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          class: 'remove',
          'aria-label': t('removeSeat', { seat: nameOf(place) }),
          onclick: () => toggle(place, true),
        },
        '×',
      ),
    );
  };

  const drawList = () => {
    list.replaceChildren(...[...chosen.values()].map(chosenRow));
    sum();
  };

  const toggle = (place, focus = false) => {
    if (!place.free) {
      announce(`${nameOf(place)}, ${t('seat_taken')}`);
      return;
    }
    if (chosen.has(place.id)) chosen.delete(place.id);
    else chosen.set(place.id, { place, tariffId: first.tariffId });
    label(place);
    drawList();
    if (focus) buttons.get(place.id)?.focus();
  };

  const seatButton = (place, index, row) => {
    const button = h(
      'button',
      { type: 'button', tabindex: -1, 'data-place': place.id, onclick: () => toggle(place) },
      place.seat ?? place.label,
    );
    // Rows are curved around the stage.
    const middle = (row.length - 1) / 2;
    button.style.setProperty('--bend', String(((index - middle) / Math.max(1, middle)) ** 2));
    buttons.set(place.id, button);
    label(place);
    return h('span', { role: 'gridcell' }, button);
  };

  const draw = (places) => {
    buttons.clear();
    const rows = rowsOf(places).map(({ name, seats }) =>
      h(
        'div',
        { role: 'row', class: 'seat-row' },
        h('span', { role: 'rowheader', class: 'row-name' }, name),
        seats.map(seatButton),
      ),
    );
    const focused = map.contains(document.activeElement) && document.activeElement.dataset.place;
    map.replaceChildren(...rows);
    map.removeAttribute('aria-busy');
    const back = buttons.get(focused);
    const entrance = back ?? map.querySelector('button.is-free') ?? map.querySelector('button');
    entrance?.setAttribute('tabindex', '0');
    back?.focus();
  };

  const refresh = async () => {
    try {
      const places = await api.places(product.id, performance.id, category.id);
      const free = new Map(places.filter(({ free }) => free).map((place) => [place.id, place]));
      for (const id of chosen.keys()) if (!free.has(id)) chosen.delete(id);
      const isFirst = buttons.size === 0;
      draw(places);
      drawList();
      // A hall wider than the screen starts scrolled to its middle.
      if (isFirst) scroll.scrollLeft = (scroll.scrollWidth - scroll.clientWidth) / 2;
    } catch (error) {
      map.replaceChildren(h('p', { class: 'lead' }, wordsOf(error)));
      map.removeAttribute('aria-busy');
    }
  };

  map.addEventListener('keydown', (event) => moveFocus(map, event));
  void refresh();
  const hint = h('p', { class: 'small hint' }, t('seatHint'));
  const stage = h('div', { class: 'stage', 'aria-hidden': 'true' }, h('span', {}, t('stage')));
  const scroll = h('div', { class: 'seat-scroll' }, h('div', { class: 'seat-hall' }, stage, map));
  const node = h('div', { class: 'seat-area' }, legend(), scroll, hint, list);
  const groups = () =>
    [...Map.groupBy(chosen.values(), ({ tariffId }) => tariffId)].map(([tariffId, those]) => ({
      tariffId,
      placeIds: those.map(({ place }) => place.id),
      quantity: those.length,
    }));
  return { node, groups, refresh };
};
