// rule commerce.4: Ticket documents, mails and the order's PDF name price, fees and taxes | services/tickets/src/document/receipt.ts
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import type { Static } from 'typebox';
import { createReceiptLayouts } from '../../src/document/layout/receipt.ts';
import { describeReceipt } from '../../src/document/receipt.ts';
import { documentRequest, shopTicket } from '../../src/examples.ts';
import type { OrderReceipt } from '../../src/schemas.ts';
import { openFixture, PATH } from '../fixture/service.ts';
import { addMembers, createConfirmedOrder, issueAndPrint } from '../fixture/tickets.ts';
import { renderPdfPages } from './rendering.ts';

const seller = { name: 'Opéra du Lac SA', address: 'Place du Lac 1\n1201 Genève', taxNumber: 'CHE-123.456.789 TVA' };
const about = {
  ...shopTicket.about,
  seller,
  product: { en: 'The Magic Flute', de: 'Die Zauberflöte', fr: 'La Flûte enchantée' },
  seatCategory: { en: 'Stalls', de: 'Parkett', fr: 'Parterre' },
  tariff: { en: 'Full price', de: 'Normalpreis', fr: 'Plein tarif' },
};
const price = {
  amount: 10_250,
  currency: 'CHF',
  base: 12_500,
  components: [
    { name: { en: 'Family', de: 'Familie', fr: 'Famille' }, amount: -2_500 },
    { name: { en: 'Booking fee', de: 'Gebühr', fr: 'Frais' }, amount: 250 },
  ],
  taxes: [
    { rate: '2.6', net: 9_747, tax: 253, gross: 10_000 },
    { rate: '8.1', net: 231, tax: 19, gross: 250 },
  ],
};
const startDate = '2031-03-14T18:30:00.000Z';

type Line = Static<typeof OrderReceipt>['lines'][number];

const createLine = (seat: number, more: Partial<Line['price']> = {}): Line => ({
  about,
  startDate,
  place: { id: `plc_${seat}`, label: `A-${seat}`, row: 'A', seat },
  price: { ...price, ...more },
});

const createReceipt = (more: Partial<Static<typeof OrderReceipt>> = {}): Static<typeof OrderReceipt> => ({
  at: '2031-01-02T10:15:00.000Z',
  seller,
  lines: [createLine(1), createLine(2)],
  fees: [{ name: { en: 'Postage', de: 'Porto', fr: 'Envoi' }, amount: 500 }],
  taxes: [
    { rate: '2.6', net: 19_494, tax: 506, gross: 20_000 },
    { rate: '8.1', net: 462, tax: 38, gross: 500 },
    { rate: null, net: 500, tax: 0, gross: 500 },
  ],
  total: 21_000,
  due: 0,
  ...more,
});

/** Its rows as text, columns apart by `|`, with plain spaces. */
const listRows = (receipt: Static<typeof OrderReceipt>, language = 'en', buyer: string | null = null): string[] =>
  describeReceipt(receipt, { number: 'k3m9xqw7', buyer }, [language])
    .flat()
    .map(({ text, amounts = [] }) => [text, ...amounts].join(' | ').replaceAll(/\s/g, ' '));

describe('the receipt of an order', () => {
  test('names head, number, date and buyer, each line and what makes it, fees, total, and taxes by rate', () => {
    const made = 'CHF 125.00, Family -CHF 25.00, Booking fee CHF 2.50 · VAT 2.6%, 8.1%';
    expect(listRows(createReceipt(), 'en', 'Ana Martin')).toEqual([
      ...['Opéra du Lac SA', 'Place du Lac 1', '1201 Genève', 'CHE-123.456.789 TVA', 'Receipt'],
      ...['Order number: k3m9xqw7', 'Date: Thursday, 2 January 2031 at 11:15', 'Buyer: Ana Martin'],
      ...['The Magic Flute', 'Friday, 14 March 2031 at 19:30, Grand Théâtre, Genève'],
      ...['Stalls, Row A, seat 1, Full price | CHF 102.50', made],
      ...['Stalls, Row A, seat 2, Full price | CHF 102.50', made],
      ...['Postage | CHF 5.00', 'Total | CHF 210.00', 'VAT rate | Net | VAT | Gross'],
      ...['2.6% | CHF 194.94 | CHF 5.06 | CHF 200.00', '8.1% | CHF 4.62 | CHF 0.38 | CHF 5.00'],
      '— | CHF 5.00 | — | CHF 5.00',
      'Prices include VAT, rounded on each line: the VAT of a rate is the sum of its lines.',
    ]);
  });

  test.each([
    [
      'de-DE',
      ...['Beleg', 'Bestellnummer: k3m9xqw7', 'Parkett, Reihe A, Platz 1, Normalpreis | 102,50 CHF'],
      ...['125,00 CHF, Familie -25,00 CHF, Gebühr 2,50 CHF · MwSt. 2,6 %, 8,1 %', 'Porto | 5,00 CHF'],
      ...['MwSt.-Satz | Netto | MwSt. | Brutto', '2,6 % | 194,94 CHF | 5,06 CHF | 200,00 CHF'],
    ],
    [
      'fr-FR',
      ...['Reçu', 'Commande : k3m9xqw7', 'Parterre, Rang A, place 1, Plein tarif | 102,50 CHF', 'Envoi | 5,00 CHF'],
      ...['Taux de TVA | HT | TVA | TTC', '8,1 % | 4,62 CHF | 0,38 CHF | 5,00 CHF'],
      'Les prix comprennent la TVA, arrondie à chaque ligne : la TVA d’un taux est la somme de ses lignes.',
    ],
  ])('is in the language of its reader: %s', (language, ...rows) => {
    expect(listRows(createReceipt(), language)).toEqual(expect.arrayContaining(rows));
  });

  test('counts equal lines, and says what is still to pay', () => {
    const pass = { ...about, productType: 'pass', seatCategory: about.product };
    const line = { ...createLine(1), about: pass, place: { id: 'plc_1', label: '1', row: null, seat: null } };
    const rows = listRows(createReceipt({ lines: [line, line, line], due: 30_750 }));
    expect(rows).toContain('3 × Full price | CHF 307.50');
    expect(rows).toContain('CHF 375.00, Family -CHF 75.00, Booking fee CHF 7.50 · VAT 2.6%, 8.1%');
    expect(rows).toContain('Still to pay | CHF 307.50');
  });

  test('of prices without taxes has no table of them', () => {
    const untaxed = { amount: 10_000, currency: 'CHF' };
    const lines = [{ ...createLine(1), price: untaxed }];
    const taxes = [{ rate: null, net: 10_000, tax: 0, gross: 10_000 }];
    const rows = listRows(createReceipt({ lines, taxes, fees: [], seller: null, total: 10_000 }));
    expect(rows.slice(-3)).toEqual([
      expect.stringContaining('Grand Théâtre'),
      'Stalls, Row A, seat 1, Full price | CHF 100.00',
      'Total | CHF 100.00',
    ]);
    expect(rows.join()).not.toMatch(/VAT|null|undefined|—/);
  });

  test.each([
    ['JPY', '10,250'],
    ['KWD', '10.250'],
  ])('has the digits of %s', (currency, shown) => {
    const rows = listRows(createReceipt({ lines: [createLine(1, { currency })] }));
    expect(rows).toContain(`Stalls, Row A, seat 1, Full price | ${currency} ${shown}`);
  });

  test('goes over pages of A4 on which nothing overlaps, also with long names', () => {
    const long =
      'An extraordinarily long name of a discount that nobody would ever print on a ticket in its full length ';
    const components = [{ name: { en: long.repeat(2) }, amount: -100 }];
    const lines = Array.from({ length: 50 }, (_, index) =>
      createLine(index + 1, index % 2 === 0 ? {} : { components }),
    );
    const receipt = describeReceipt(createReceipt({ lines }), { number: 'k3m9xqw7', buyer: null }, ['en']);
    const layouts = createReceiptLayouts(receipt, null);
    expect(layouts.length).toBeGreaterThan(2);
    const all = layouts.flatMap(({ texts }) => texts.map(({ text }) => text));
    for (const { place } of lines) expect(all.join(' ')).toContain(`seat ${place.seat},`);
    for (const { width, height, texts } of layouts) {
      const boxes = texts.map(({ x, y, room, size }) => ({ x, y, right: x + room, bottom: y + size }));
      const overlapping = boxes.filter((one, index) =>
        boxes
          .slice(index + 1)
          .some(({ x, y, right, bottom }) => x < one.right && one.x < right && y < one.bottom && one.y < bottom),
      );
      expect(overlapping).toEqual([]);
      expect(boxes.filter(({ right, bottom }) => right > width || bottom > height)).toEqual([]);
    }
  });
});

describe('documents', () => {
  const fixture = useFixture(() => openFixture());

  const textOf = async (id: string, language: string): Promise<string> => {
    const headers = { Accept: 'image/svg+xml' };
    const { text } = await fixture.call('GET', `${PATH}/${id}/document?lang=${language}`, { headers });
    return text.replaceAll(/<[^>]*>/g, '|').replaceAll(/\s/g, ' ');
  };

  test.each([
    ['en', 'CHF 102.50', 'CHF 125.00, Family -CHF 25.00', 'incl. 2.6% VAT: CHF 2.53 (net CHF 97.47)'],
    ['de-DE', '102,50 CHF', '125,00 CHF, Familie -25,00 CHF', 'inkl. 2,6 % MwSt.: 2,53 CHF (netto 97,47 CHF)'],
    ['fr-FR', '102,50 CHF', '125,00 CHF, Famille -25,00 CHF', 'dont TVA 2,6 % : 2,53 CHF (HT 97,47 CHF)'],
  ])('of a ticket name who sold it, its price, what makes it, and its taxes, in %s', async (language, ...parts) => {
    const { id } = await issueAndPrint(fixture, addMembers(createConfirmedOrder(), { about, price, startDate }));
    const [told, seen] = [parts.map((part) => part.replaceAll(/\s/g, ' ')), await textOf(id, language)];
    for (const part of [...told, 'Opéra du Lac SA, Place du Lac 1, 1201 Genève, CHE-123.456.789 TVA'])
      expect(seen).toContain(part);
    const replaced = await fixture.call('POST', `${PATH}/${id}/replacement`, { body: {} });
    expect(await textOf(String(replaced.data.id), language)).toContain(told[2]);
  });

  test('of a ticket of which the price alone is known say nothing more', async () => {
    const { id } = await issueAndPrint(fixture, addMembers(createConfirmedOrder(), { about: shopTicket.about }));
    const seen = await textOf(id, 'en');
    expect(seen).toContain('CHF 125.00');
    expect(seen).not.toMatch(/VAT|null|undefined|Opéra du Lac SA/);
  });

  test('of an order end with its receipt', async () => {
    const { order } = await issueAndPrint(fixture, addMembers(createConfirmedOrder(2), { about, price, startDate }));
    const ticketIds = order.tickets.map(({ ticketId }) => ticketId);
    const body = { ...documentRequest, languages: ['en'], ticketIds, receipt: createReceipt() };
    const { data } = await fixture.call('POST', '/internal/shop/documents', { body });
    const pages = await renderPdfPages(Buffer.from(String(data.base64), 'base64'));
    expect(pages.map(({ height }) => height === 842)).toEqual([false, false, true]);
    const text = pages[2]?.text.replaceAll(/\s+/g, ' ') ?? '';
    for (const part of ['Receipt', 'k3m9xqw7', 'CHE-123.456.789 TVA', 'CHF 210.00', 'CHF 5.06'])
      expect(text).toContain(part);
    expect(pages[0]?.text).not.toContain('Receipt');
  }, 300_000);
});
