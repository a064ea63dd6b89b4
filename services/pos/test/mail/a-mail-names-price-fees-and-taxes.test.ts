// rule commerce.4: Ticket documents, mails and the order's PDF name price, fees and taxes | services/pos/src/mail/values.ts
import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { waitUntil } from '../fixture/fixture.ts';
import { about } from '../fixture/orders.ts';
import { announce, openMailing, readDocument, readHtml, readText, sell } from './fixture.ts';

const seller = { name: 'Opéra du Lac SA', address: 'Place du Lac 1\n1201 Genève', taxNumber: 'CHE-123.456.789 TVA' };
const composition = {
  base: 12_500,
  components: [
    { kind: 'discount' as const, id: 'dsc_1', name: { en: 'Family', fr: 'Famille', de: 'Familie' }, amount: -2_500 },
    { kind: 'fee' as const, id: 'fee_1', name: { en: 'Booking fee', fr: 'Frais', de: 'Gebühr' }, amount: 250 },
  ],
  amount: 10_250,
  taxes: [
    { taxId: 'tax_1', rate: '2.6', net: 9_747, tax: 253, gross: 10_000 },
    { taxId: 'tax_2', rate: '8.1', net: 231, tax: 19, gross: 250 },
  ],
};
const untaxed = { taxId: null, rate: null, net: 500, tax: 0, gross: 500 };
const postage = {
  ...{ id: 'fli_1', kind: 'order' as const, feeId: 'fee_2', lineId: null, changeId: null, amount: 500 },
  ...{ name: { en: 'Postage', fr: 'Envoi', de: 'Porto' }, taxes: [untaxed] },
};
const PRICED = { fees: [postage], taxes: [...composition.taxes, untaxed], total: 10_750 };

describe('the mail of an order', () => {
  const fixture = useFixture(() => openMailing());
  // What was sold without a head has the present one.
  const present = { name: 'Shop Ltd', address: null, taxNumber: null };
  beforeAll(() => {
    fixture.catalog.change(fixture.pointOfSale.serviceHost, { receipt: present });
  });

  /** `sold`: what its lines have of the sale. */
  const writeMail = async (language: string, change: object, sold: object = {}) => {
    const email = `${randomUUID()}@example.org`;
    const { id, order } = await sell(fixture, { email });
    fixture.contacts.contact(String(order.contactNumber), { email, language });
    Object.assign(order, change, { lines: order.lines.map((line) => ({ ...line, ...sold })) });
    await announce(fixture, id, 'order.confirmed');
    await waitUntil(() => fixture.server.received.some(({ to }) => to === email));
    const mail = fixture.server.received.find(({ to }) => to === email);
    if (!mail) throw new Error('no mail came');
    return { text: readText(mail).replaceAll('\r', ''), html: readHtml(mail), document: readDocument(mail) };
  };

  test.each([
    [
      'en',
      'Tariff of the sale: CHF 102.50 (CHF 125.00, Family -CHF 25.00, Booking fee CHF 2.50)',
      'Postage: CHF 5.00\nTotal: CHF 107.50',
      'incl. 2.6% VAT: CHF 2.53 (net CHF 97.47)\nincl. 8.1% VAT: CHF 0.19 (net CHF 2.31)',
    ],
    [
      'fr',
      'Tarif de la vente : 102.50 CHF (125.00 CHF, Famille -25.00 CHF, Frais 2.50 CHF)',
      'Envoi : 5.00 CHF\nTotal : 107.50 CHF',
      'dont TVA 2,6% : 2.53 CHF (HT 97.47 CHF)\ndont TVA 8,1% : 0.19 CHF (HT 2.31 CHF)',
    ],
    [
      'de',
      'Tarif de la vente: CHF 102.50 (CHF 125.00, Familie CHF-25.00, Gebühr CHF 2.50)',
      'Porto: CHF 5.00\nTotal: CHF 107.50',
      'inkl. 2.6% MwSt.: CHF 2.53 (netto CHF 97.47)\ninkl. 8.1% MwSt.: CHF 0.19 (netto CHF 2.31)',
    ],
  ])('names head, what makes each price, fees, total, and net and tax by rate, in %s', async (language, ...parts) => {
    const sold = { ...composition, about: { ...about, seller } };
    const { text, html, document } = await writeMail(language, PRICED, sold);
    const plain = text.replaceAll(/[\u00a0\u202f]/g, ' ');
    for (const part of [`Opéra du Lac SA\nPlace du Lac 1\n1201 Genève\nCHE-123.456.789 TVA\n`, ...parts])
      expect(plain).toContain(part);
    expect(html).toContain('Opéra du Lac SA<br>Place du Lac 1<br>');
    expect(document.receipt).toMatchObject({
      ...{ seller, total: 10_750, taxes: PRICED.taxes, fees: [{ name: postage.name, amount: 500 }] },
      lines: [{ price: { currency: 'CHF', ...composition }, place: { label: expect.any(String) } }],
    });
  });

  test.each([
    ['en', 'Return until Wednesday, 30 April 2031 at 20:30 for CHF 5.00; exchange until Thursday, 1 May 2031 at 19:30'],
    [
      'de',
      'Rückgabe bis Mittwoch, 30. April 2031 um 20:30 für CHF 5.00; Umtausch bis Donnerstag, 1. Mai 2031 um 19:30',
    ],
    ['fr', 'Retour jusqu’au mercredi 30 avril 2031 à 20:30 pour 5.00 CHF ; échange jusqu’au jeudi 1 mai 2031 à 19:30'],
  ])('says once until when and for which fee places are returned and exchanged, in %s', async (language, sentence) => {
    const returnPolicy = {
      ...{ returnableUntil: '2031-04-30T18:30:00.000Z', returnFee: 500 },
      ...{ exchangeableUntil: '2031-05-01T17:30:00.000Z', exchangeFee: 0 },
    };
    const { text } = await writeMail(language, {}, { returnPolicy });
    expect(text.replaceAll(/[\u00a0\u202f]/g, ' ').split(sentence)).toHaveLength(2);
  });

  test('without fees and taxes says nothing of them, and has the present head if it was sold without one', async () => {
    const { text, document } = await writeMail('en', {});
    expect(text).toMatch(/\n\nShop Ltd\n\nPlay\n/);
    expect(text).toMatch(/\n\nTotal: CHF.45\.00\n\n/);
    expect(text).not.toMatch(/VAT|null|undefined|\(CHF|\n\n\n/);
    expect(document.receipt.seller).toEqual(present);
  });
});
