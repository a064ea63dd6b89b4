import { h } from './dom.js';
import { poster } from './poster.js';
import { qrCode } from './qr.js';
import { money, t } from './texts/index.js';

const fact = (name, value) => value && h('div', {}, h('dt', {}, name), h('dd', {}, value));

/** A ticket with its barcode, as it is shown at the entrance. `more`: controls below it. */
export const ticketCard = (
  {
    product,
    type,
    title,
    when,
    category,
    place,
    tariff,
    price,
    currency,
    holder,
    barcode,
    isVoid = false,
    isCollected = false,
    code,
  },
  ...more
) => {
  const picture = h('div', { class: 'ticket-code' });
  if (barcode && !isVoid) {
    qrCode(barcode, t('qrLabel', { type, title }))
      .then((drawing) => picture.replaceChildren(drawing, h('span', { class: 'small ticket-id' }, code)))
      .catch(() => picture.replaceChildren(h('code', { class: 'small' }, barcode)));
  } else {
    picture.append(
      h('p', { class: 'small' }, t(isVoid ? 'ticketVoid' : isCollected ? 'ticketCollected' : 'ticketComes')),
    );
  }
  return h(
    'li',
    { class: `ticket${isVoid ? ' is-void' : ''}`, 'data-barcode': barcode ?? undefined },
    h('div', { class: 'ticket-picture' }, product && poster(product.code)),
    h(
      'div',
      { class: 'ticket-text' },
      h('h3', {}, title),
      h('p', { class: 'when' }, when),
      h(
        'dl',
        {},
        fact(t('category'), category !== title && category),
        fact(t('place'), place),
        fact(t('tariff'), tariff),
        fact(t('price'), money(price, currency)),
        fact(t('holder'), holder),
      ),
      more,
    ),
    picture,
  );
};

/** The first and last name; empty without both. */
export const holderOf = ({ beneficiaryFirstName, beneficiaryLastName }) =>
  [beneficiaryFirstName, beneficiaryLastName].filter(Boolean).join(' ');

/** The name of a seat: its row and number; undefined for a place without. */
export const placeName = (place) => (place?.row && place.seat ? t('seatName', place) : undefined);
