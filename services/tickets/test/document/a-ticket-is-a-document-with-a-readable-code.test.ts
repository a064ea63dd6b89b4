import { beforeAll, describe, expect, test } from '@jest/globals';
import { testVector } from '../../src/barcode/routes.ts';
import { createPlainContent, describeTicket } from '../../src/document/about.ts';
import { drawPdf } from '../../src/document/pdf.ts';
import { drawSvg } from '../../src/document/svg.ts';
import { createTicket } from '../../src/domain/order.ts';
import { shopTicket } from '../../src/examples.ts';
import { describeOnEachEngine, PATH } from '../fixture/service.ts';
import {
  addMembers,
  createConfirmedOrder,
  getFirstTicketId,
  issueAndPrint,
  issueOrder,
  toCancelledOrder,
} from '../fixture/tickets.ts';
import { blur, renderCodeOfSvg, renderPdf, scan } from './rendering.ts';

const { about } = shopTicket;
const beneficiary = { firstName: 'Zażółć', lastName: 'Αγάπη <Любовь> & "co"' };

/** An order whose tickets have everything that a document shows. */
const described = () =>
  addMembers(createConfirmedOrder(), { startDate: '2031-03-14T18:30:00.000Z', beneficiary, about });

/** The same without a store. */
const sample = () => {
  const { orderId, tickets } = described();
  const [ordered] = tickets;
  if (!ordered) throw new Error('the order has no ticket');
  const place = { ...ordered.place, label: 'A-1' };
  const order = { id: orderId, contactNumber: null, asOf: 1, named: true };
  return createTicket(order, { ...ordered, place, beneficiary }, testVector.barcode, '2031-01-01T00:00:00.000Z');
};

describe('the PDF of a ticket', () => {
  test('has a code that ZXing reads at 72 dpi, sharp and blurred', async () => {
    const { pdf } = await drawPdf(createPlainContent(describeTicket(sample(), ['fr'])));
    const [small, large] = [await renderPdf(pdf, 1), await renderPdf(pdf, 2)];
    for (const picture of [small, blur(small, 1), blur(large, 2)])
      expect(await scan(picture)).toEqual([testVector.barcode]);
    for (const part of ['Opéra du Lac', 'La Flûte enchantée', 'Zażółć Αγάπη', 'Любовь'])
      expect(small.text).toContain(part);
  }, 300_000);
});

/** Everything that the document of such a ticket says, with plain spaces. */
const saidOf = (more: object): string =>
  JSON.stringify(describeTicket({ ...sample(), ...more }, ['en'])).replaceAll(/\s/g, ' ');

test.each([
  ['pt-BR', 'A Flauta Mágica'],
  ['pt', 'A Flauta Mágica'],
  ['de-CH', 'Die Zauberflöte (CH)'],
  ['de-AT', 'Die Zauberflöte'],
  ['zh-Hant', '魔笛'],
  ['zh-TW', '魔笛'],
  ['zh-CN', '魔笛（简）'],
  ['fi', 'The Magic Flute'],
])('a document in %s has the text of that tag, else of its language', (lang, title) => {
  const product = {
    en: 'The Magic Flute',
    de: 'Die Zauberflöte',
    'de-CH': 'Die Zauberflöte (CH)',
    'pt-BR': 'A Flauta Mágica',
    'zh-Hans': '魔笛（简）',
    'zh-Hant': '魔笛',
  };
  expect(describeTicket({ ...sample(), about: { ...about, product } }, [lang]).title).toBe(title);
});

test.each([
  ['CHF', 12_500, 'CHF 125.00'],
  ['HUF', 1_000_000, 'HUF 10,000.00'],
  ['COP', 5_000_000, 'COP 50,000.00'],
  ['KRW', 50_000, 'KRW 50,000'],
  ['ISK', 5_000, 'ISK 5,000'],
  ['IQD', 15_000, 'IQD 15.000'],
  ['KWD', 1_234, 'KWD 1.234'],
])('an amount in %s has the digits of ISO 4217', (currency, amount, shown) => {
  expect(saidOf({ price: { amount, currency } })).toContain(shown);
});

test('what is no show has its validity, and neither a time, a place without row and seat, nor words of a ticket', () => {
  const pass = { ...about, seatCategory: about.product, productType: 'pass', validUntil: '2031-06-30T22:00:00.000Z' };
  const place = { ...sample().place, row: null, seat: null };
  const said = saidOf({ about: pass, place });
  expect(said).toContain('"Valid from 14 March 2031 to 30 June 2031"');
  expect(said).toContain('Please show this code');
  for (const word of ['19:30', 'Place', 'A-1', 'Category', 'icket', 'once']) expect(said).not.toContain(word);
  expect(saidOf({ about: pass })).toContain('Row A, seat 1');
  const { validUntil: _, ...open } = pass;
  for (const one of [open, { ...open, validUntil: '2031-03-01T00:00:00.000Z' }])
    expect(saidOf({ about: one })).toContain('"Valid from 14 March 2031"');
  const shown = (language: string) => describeTicket({ ...sample(), about: pass }, [language]).when;
  expect(['de', 'fr', 'it'].map(shown)).toEqual([
    'Gültig vom 14. März 2031 bis 30. Juni 2031',
    'Valable du 14 mars 2031 au 30 juin 2031',
    'Valido dal 14 marzo 2031 al 30 giugno 2031',
  ]);
  expect(describeTicket({ ...sample(), about: { ...pass, productType: 'goods' } }, ['en']).when).toBeNull();
  expect(describeTicket(sample(), ['fr']).when).toMatch(/^[A-Z]\p{L}+ \d+ \p{L}+ \d+ à /u);
  // Of a show the place may be the only thing that tells it from another.
  expect(saidOf({ place })).toContain('A-1');
});

test.each([
  ['Australia/Lord_Howe', '2031-04-05T14:45:00.000Z', 'GMT+11'],
  ['Antarctica/Troll', '2031-10-26T00:30:00.000Z', 'GMT+2'],
])('so does a start in %s, whose clocks are not set back by an hour', (timeZone, startDate, offset) => {
  expect(saidOf({ startDate, about: { ...about, timeZone } })).toContain(`(${offset})`);
});

test.each([
  ['America/Winnipeg', '2026-12-12T00:30:00.000Z', 'Friday, 11 December 2026 at 19:30'],
  ['America/New_York', '2027-01-01T00:30:00.000Z', 'Thursday, 31 December 2026 at 19:30'],
])(
  'a start in %s is written by the clocks of the venue, as the zone data of the product has them',
  (timeZone, startDate, said) => {
    expect(saidOf({ startDate, about: { ...about, timeZone } })).toContain(`"${said}"`);
  },
);

test('a start in the hour that comes twice names its offset, another one does not', () => {
  const [first, second, other] = ['00', '01', '18'].map((hour) =>
    saidOf({ startDate: `2031-10-26T${hour}:30:00.000Z` }),
  );
  expect(first).toContain('02:30 (GMT+2)');
  expect(second).toContain('02:30 (GMT+1)');
  expect(other).not.toContain('GMT');
});

describeOnEachEngine('a ticket is a document', (fixture) => {
  let id: string;
  let barcode: string;
  beforeAll(async () => {
    ({ id } = await issueAndPrint(fixture, described()));
    ({ barcode } = await fixture.ticket(id));
  });

  const documentOf = async (accept?: string, query = '', more: Readonly<Record<string, string>> = {}) => {
    const { tickets } = fixture.context.collections(fixture.institution);
    const ticket = await tickets.get(id);
    if (!ticket) throw new Error('there is no ticket');
    const reply = await fixture.call('GET', `${PATH}/${id}/document${query}`, {
      headers: { ...(accept === undefined ? {} : { accept }), ...more },
    });
    return { reply, ticket, type: reply.headers.get('content-type') };
  };

  test('as SVG on request, whose code is read as well', async () => {
    const { reply, type } = await documentOf('image/svg+xml');
    expect([reply.status, type]).toEqual([200, 'image/svg+xml']);
    expect(await scan(renderCodeOfSvg(reply.text, 4))).toEqual([barcode]);
    expect(await scan(blur(renderCodeOfSvg(reply.text, 4), 1))).toEqual([barcode]);
    expect(reply.text).toContain('Αγάπη &lt;Любовь&gt; &amp; &quot;co&quot;');
    expect(reply.text).not.toMatch(/<script|href|url\(|<image|style=/);
  });

  test('as PDF by default and for another Accept; of both the preferred one', async () => {
    for (const [accept, type] of [
      ['text/html', 'application/pdf'],
      ['*/*', 'application/pdf'],
      ['image/*', 'application/pdf'],
      ['application/pdf, image/svg+xml;q=0.9', 'application/pdf'],
      ['application/pdf;q=0.5, IMAGE/SVG+XML', 'image/svg+xml'],
    ])
      expect([accept, (await documentOf(accept)).type]).toEqual([accept, type]);
    const { reply, type } = await documentOf();
    expect([reply.status, type, reply.text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
    expect(reply.headers.get('vary')).toContain('Accept, Accept-Language');
  });

  test('names and fixed words are in the language, dates at the place of the performance', async () => {
    const { reply } = await documentOf('image/svg+xml', '?lang=fr-CH');
    const names = ['Opéra du Lac', 'La Flûte enchantée', 'Grand Théâtre, Genève', 'Parterre', 'Plein tarif'];
    for (const text of [...names, 'Rang A, place 1', '19:30']) expect(reply.text).toContain(text);
    const english = await documentOf('image/svg+xml', '', { 'accept-language': 'xx, en;q=0.5, fr;q=0.1' });
    for (const text of ['The Magic Flute', 'Row A, seat 1', '125.00']) expect(english.reply.text).toContain(text);
    const asked = { 'accept-language': 'en' };
    for (const institutions of ['?lang=fra', ''])
      expect((await documentOf('image/svg+xml', institutions)).reply.text).toContain('Rang A, place 1');
    expect((await documentOf('image/svg+xml', '?lang=fra', asked)).reply.text).toContain('Rang A, place 1');
    expect((await documentOf('image/svg+xml', '?lang=xx', asked)).reply.text).toContain('The Magic Flute');
    for (const lang of ['xx', 'ar-u-nu-arab', 'not a language', ''])
      expect((await documentOf('image/svg+xml', `?lang=${encodeURIComponent(lang)}`)).reply.status).toBe(200);
  });

  test('it is fetched again only after a change, and has a name to be saved under', async () => {
    const { reply } = await documentOf();
    const [tag = '', type] = [reply.headers.get('etag') ?? '', reply.headers.get('content-disposition')];
    expect([tag, type]).toEqual([expect.stringMatching(/^"[\w-]{22}"$/), `inline; filename="${id}.pdf"`]);
    const again = await fixture.call('GET', `${PATH}/${id}/document`, { headers: { 'if-none-match': tag } });
    expect([again.status, again.text]).toEqual([304, '']);
    const { reply: svg } = await documentOf('image/svg+xml');
    expect(svg.headers.get('content-disposition')).toBe(`inline; filename="${id}.svg"`);
    expect(svg.headers.get('etag')).not.toBe(tag);
  });

  test('without the name once the buyer was erased', async () => {
    const order = { ...described(), contactNumber: '4711' };
    const { id: ticketId } = await issueAndPrint(fixture, order);
    const svg = async () =>
      (await fixture.call('GET', `${PATH}/${ticketId}/document`, { headers: { accept: 'image/svg+xml' } })).text;
    expect(await svg()).toContain('Zażółć');
    await fixture.deliver('contact.erased', { contactNumber: '4711' });
    expect(await svg()).not.toMatch(/Zażółć|Любовь/);
  });

  test('a ticket of an earlier release has one, too', async () => {
    const { ticket } = await documentOf();
    const { about: _, startDate: __, ...older } = ticket;
    const svg = drawSvg(createPlainContent(describeTicket(older, ['de']))).toString();
    expect(svg).toContain('Reihe A, Platz 1');
    expect(await scan(renderCodeOfSvg(svg, 4))).toEqual([barcode]);
  });

  test('only of a printed ticket: 412 with its own code, 404 for an unknown one', async () => {
    const order = await issueOrder(fixture);
    const codeOf = async (ticketId: string) => {
      const { status, body, headers } = await fixture.call('GET', `${PATH}/${ticketId}/document`);
      return [status, body.status, headers.get('content-type')?.startsWith('application/json')];
    };
    expect(await codeOf(getFirstTicketId(order))).toEqual([412, 'ticket_not_printed', true]);
    const { id: old } = await issueAndPrint(fixture);
    await fixture.call('POST', `${PATH}/${old}/replacement`, { body: {} });
    expect(await codeOf(old)).toEqual([412, 'ticket_invalidated', true]);
    await fixture.deliver('order.cancelled', toCancelledOrder(order));
    expect(await codeOf(getFirstTicketId(order))).toEqual([412, 'ticket_cancelled', true]);
    expect(await codeOf('tic_unknown')).toEqual([404, 'not_found', true]);
  });
});
