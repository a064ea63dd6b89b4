import { h, svg } from './dom.js';
import { drawnPicture } from './poster.js';
import { money, t } from './texts/index.js';

const QUIET = 4;

/** A ticket with its barcode, as it is shown at the entrance. `more`: controls below it. */
export function ticketCard(
  {
    product,
    type,
    title,
    when,
    category,
    place,
    tariff,
    price,
    composition,
    currency,
    holder,
    barcode,
    isVoid = false,
    isCollected = false,
    code,
  },
  ...more
) {
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
    h('div', { class: 'ticket-picture' }, product && drawnPicture(product)),
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
      composition,
      more,
    ),
    picture,
  );
}

/** The QR code of a barcode, dark on light in every colour scheme, as scanners require. */
const qrCode = async (barcode, label) => {
  const { correction, generate } = await encoder();
  const code = generate(barcode, { minCorrectionLevel: correction.L });
  const dots = [];
  for (let y = 0; y < code.size; y += 1) {
    for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) dots.push(`M${x} ${y}h1v1h-1z`);
  }
  const side = code.size + 2 * QUIET;
  return svg(
    'svg',
    {
      viewBox: `${-QUIET} ${-QUIET} ${side} ${side}`,
      class: 'qr',
      role: 'img',
      'aria-label': label,
      'shape-rendering': 'crispEdges',
    },
    svg('rect', { x: -QUIET, y: -QUIET, width: side, height: side, fill: '#fff' }),
    svg('path', { d: dots.join(''), fill: '#000' }),
  );
};

/** The encoder is loaded with the first ticket. */
const encoder = () => import(new URL('lib/lean-qr.mjs', import.meta.url).href);

const fact = (name, value) => value && h('div', {}, h('dt', {}, name), h('dd', {}, value));

/** The first and last name; empty without both. */
export function holderOf({ beneficiaryFirstName, beneficiaryLastName }) {
  return [beneficiaryFirstName, beneficiaryLastName].filter(Boolean).join(' ');
}

/** The name of a seat: its row and number; undefined for a place without. */
export function placeName(place) {
  return place?.row && place.seat ? t('seatName', place) : undefined;
}
