import { randomUUID } from 'node:crypto';
import { startSweeper } from '@boxoffice/service';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { pos } from '../../src/app.ts';
import { computeLinkEnd } from '../../src/domain/offer.ts';
import { orderLinks } from '../../src/store.ts';
import { openFixture, PUBLIC_URL } from '../fixture/fixture.ts';
import { decodeShownContent } from '../fixture/others.ts';
import { createLinkRequests, createShopper, PAID } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
const { buy, make, read, readAlone, tokenOf } = createLinkRequests(fixture);

const storedLinks = () => fixture.store.collection(orderLinks).of('opera').find();

describe('a link', () => {
  test('is made for an own order: its URL has the token in the fragment, and the store only a hash', async () => {
    const order = await buy();
    const { status, data, headers } = await make(order.id, order.token);
    expect([status, data.expiresAt]).toEqual([201, '2031-05-31T20:30:00.000Z']);
    expect(data.token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(data.url).toBe(`${PUBLIC_URL}/shop/${fixture.pointOfSale.serviceHost}/ticket-link#${data.token}`);
    expect([headers.get('location'), headers.get('cache-control')]).toEqual([
      '/tnwr/vexp/order-links/current',
      'no-store',
    ]);
    const [stored] = (await storedLinks()).filter(({ orderId }) => orderId === order.id);
    expect(Object.keys(stored ?? {}).sort()).toEqual(
      ['createdAt', 'expiresAt', 'id', 'institution', 'orderId', 'serviceHost', 'version'].sort(),
    );
    expect(JSON.stringify(stored)).not.toContain(data.token);
  });

  test('shows the order, its tickets and their documents without a session, and with one that has ended', async () => {
    const order = await buy(2);
    const link = await tokenOf(order);
    const { data: own } = await fixture.call<object>('GET', `/orders/${order.id}`, {
      token: order.token,
      version: 'vexp',
    });
    for (const token of [undefined, 'x'.repeat(43)]) {
      const { status, data, headers } = await read(link, { token });
      const { tickets, documents, ...shown } = data;
      expect([status, shown, headers.get('cache-control')]).toEqual([200, own, 'no-store']);
      const items = Object.values(data.items);
      expect(Object.keys(tickets)).toEqual(items.map(({ ticketId }) => ticketId));
      expect(Object.values(tickets).map(({ barcode }) => barcode)).toEqual(items.map(({ barcode }) => barcode));
      const pages = Object.values(documents).map(({ base64 }) => decodeShownContent(base64).ticketIds);
      expect(pages).toEqual(Object.keys(tickets).map((id) => [id]));
      fixture.tickets.mishaps.set('drawShopDocument', 'fails');
      expect(await readAlone(link, { token })).toMatchObject({ status: 200, data: own });
      fixture.tickets.mishaps.clear();
    }
  });

  test('gives documents of printed tickets only, in the language that is asked for', async () => {
    const order = await buy(2);
    const link = await tokenOf(order);
    const [id = '', other = ''] = Object.keys((await read(link)).data.tickets);
    fixture.tickets.setStatus(id, 'not_printed');
    const { data } = await read(link, { headers: { 'accept-language': 'de' } });
    expect(Object.keys(data.tickets)).toEqual([id, other]);
    expect(Object.keys(data.documents)).toEqual([other]);
    const shown = decodeShownContent(data.documents[other]?.base64);
    expect(shown).toMatchObject({ ticketIds: [other], languages: ['de', 'fr', 'en'] });
  });

  test('has no tickets of lines that left the order, used ones neither', async () => {
    const order = await buy(2);
    const link = await tokenOf(order);
    const [gone = '', other = ''] = Object.keys((await read(link)).data.tickets);
    fixture.tickets.setStatus(gone, 'controlled');
    const stored = fixture.orders.orders.get(order.id);
    if (stored) stored.lines = stored.lines.filter(({ ticketId }) => ticketId !== gone);
    const { data } = await read(link);
    expect([Object.keys(data.tickets), Object.keys(data.documents)]).toEqual([[other], [other]]);
    const whole = await fixture.call('GET', `/orders/${order.id}/document`, { token: order.token, version: 'vexp' });
    expect(decodeShownContent(whole.data.base64).ticketIds).toEqual([other]);
  });

  test.each(['cancelled', 'expired', 'payment_pending'] as const)(
    'to an order that is %s says so, without tickets and documents',
    async (state) => {
      const order = await buy(1, state === 'cancelled' ? undefined : { paymentMethod: 'external' });
      const link = await tokenOf(order);
      Object.assign(fixture.orders.orders.get(order.id) ?? {}, { state });
      const { status, data } = await read(link);
      expect([status, data.state, data.tickets, data.documents]).toEqual([200, state, {}, {}]);
      expect(Object.values(data.items).map(({ barcode }) => barcode)).toEqual([null]);
    },
  );

  test('is made for nobody else, for no cart and without a session not at all; v1 has none', async () => {
    const [order, stranger] = [await buy(), await buy()];
    const foreign = await make(order.id, stranger.token);
    const unknown = await make('ord_unknown', stranger.token);
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
    const { data } = await fixture.call<{ id: string }>('POST', '/shopping-cart/items', {
      token: order.token,
      body: createShopper(fixture).itemOf(),
    });
    expect((await make(data.id, order.token)).status).toBe(404);
    const without = await fixture.call('POST', `/orders/${order.id}/links`, { version: 'vexp' });
    expect([without.status, without.code]).toEqual([401, 'session_required']);
    const link = await tokenOf(order);
    const numbered = [
      await fixture.call('POST', `/orders/${order.id}/links`, { token: order.token }),
      await fixture.call('GET', '/order-links/current', { headers: { 'x-order-link': link } }),
    ];
    expect(numbered.map(({ status }) => status)).toEqual([404, 404]);
  });

  test('is answered once: a repeat with the same key has neither token nor URL, and no further link', async () => {
    const order = await buy();
    const key = randomUUID();
    const first = await make(order.id, order.token, key);
    const again = await make(order.id, order.token, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect([again.status, again.data]).toEqual([201, { url: null, token: null, expiresAt: first.data.expiresAt }]);
    expect((await storedLinks()).filter(({ orderId }) => orderId === order.id)).toHaveLength(1);
    expect((await read(String(first.data.token))).status).toBe(200);
  });

  test('of eight requests at once with one key, one has the token', async () => {
    const order = await buy();
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 8 }, () => make(order.id, order.token, key)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(replies.filter(({ data }) => data.token !== null)).toHaveLength(1);
    expect((await storedLinks()).filter(({ orderId }) => orderId === order.id)).toHaveLength(1);
  });
});

describe('every token that gives no order has the same answer, 404', () => {
  test('an absent, a malformed, an unknown one, one of another point of sale or institution', async () => {
    const link = await tokenOf(await buy());
    const absent = await read();
    expect([absent.status, absent.code]).toEqual([404, 'not_found']);
    const other = fixture.catalog.pointOfSale().serviceHost;
    const elsewhere = fixture.catalog.pointOfSale({ institution: 'theatre' }).serviceHost;
    const [first = ''] = link;
    const replies = [
      await read(''),
      await read('x'),
      await read('x'.repeat(43)),
      await read(`${first === 'A' ? 'B' : 'A'}${link.slice(1)}`),
      await read(link, { host: other }),
      await read(link, { host: elsewhere }),
      await read(`${link}, ${link}`),
    ];
    expect(replies.map(({ status, text }) => [status, text])).toEqual(replies.map(() => [404, absent.text]));
    expect((await read(link)).status).toBe(200);
  });

  test('one whose order is gone', async () => {
    const order = await buy();
    const link = await tokenOf(order);
    fixture.orders.orders.delete(order.id);
    expect([(await read(link)).text]).toEqual([(await read()).text]);
  });

  test("one whose buyer's contact was erased: at once, and the link is deleted", async () => {
    const order = await buy();
    const link = await tokenOf(order);
    const contact = fixture.contacts.contact(order.contactNumber);
    expect((await read(link)).status).toBe(200);
    fixture.contacts.known.set(order.contactNumber, { ...contact, erasedAt: contact.createdAt });
    expect([(await read(link)).text, (await readAlone(link)).text]).toEqual(Array(2).fill((await read()).text));
    const further = await make(order.id, order.token);
    expect([further.status, further.code]).toEqual([404, 'not_found']);
    fixture.contacts.known.set(order.contactNumber, contact);
    expect((await read(link)).status).toBe(200);
    await fixture.deliver('contact.erased', { contactNumber: order.contactNumber });
    expect((await read(link)).text).toBe((await read()).text);
    expect((await storedLinks()).filter(({ orderId }) => orderId === order.id)).toEqual([]);
  });

  test('while contacts does not answer, links work', async () => {
    const link = await tokenOf(await buy());
    fixture.contacts.mishaps.set('*', 'fails');
    expect((await read(link)).status).toBe(200);
    fixture.contacts.mishaps.clear();
  });
});

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('the end of a link', () => {
  const dates = { startDate: '2031-05-01T18:30:00.000Z', salesFrom: null, salesTo: null };
  const performance = { id: 'prf', durationMinutes: 120, state: 'on_sale' as const, ...dates };
  const show = { performance, product: { type: 'show', endDate: null } };
  const later = { ...performance, state: 'cancelled' as const, startDate: '2031-06-01T18:30:00.000Z' };
  const pass = (endDate: string | null) => ({
    performance: { ...performance, durationMinutes: null },
    product: { type: 'pass', endDate },
  });
  const soldAt = Date.parse('2031-01-01T00:00:00.000Z');
  type Sold = Parameters<typeof computeLinkEnd>[0][number];
  const compute = (all: readonly Sold['current'][], at = soldAt, known?: string) => {
    const sold = all.map((current) => ({ current, startDate: performance.startDate }));
    return new Date(computeLinkEnd(sold, at, known === undefined ? undefined : Date.parse(known))).toISOString();
  };

  test.each([
    [
      'after the last performance, cancelled or not, as it is dated now',
      [show, { ...show, performance: later }],
      '07-01T20:30',
    ],
    ['after the last known start of what is published no more', [undefined], '05-31T18:30'],
    ['after the sale of an order without places', [], '01-31T00:00'],
  ])('is 30 days %s', (_, all, end) => {
    expect(compute(all)).toBe(`2031-${end}:00.000Z`);
  });

  test('of a pass follows its period; without any end it is that of a year after the sale', () => {
    expect(compute([pass('2032-01-01T00:00:00.000Z')])).toBe('2032-01-31T00:00:00.000Z');
    expect(compute([pass(null)])).toBe(new Date(soldAt + 396 * DAY_MS).toISOString());
  });

  test('of what is published no more is as it was before; of other places it is computed anew', () => {
    const known = '2031-12-01T00:00:00.000Z';
    expect([compute([undefined], soldAt, known), compute([show], soldAt, known) < known]).toEqual([known, true]);
  });

  test('of an order that was sold during or after its last performance is the same, not 30 days after the sale', () => {
    expect(compute([show], Date.parse('2031-05-20T00:00:00.000Z'))).toBe('2031-05-31T20:30:00.000Z');
  });
});

describe('a link that comes to its end', () => {
  /** A bought order whose performance can be moved. */
  const bought = async () => {
    const { product, performanceId, seatCategoryId } = fixture.catalog.show();
    const order = await buy(1, PAID, { performanceId, seatCategoryId });
    const move = (startDate: string) => {
      Object.assign(product.performances[0] ?? {}, { startDate });
      Object.assign(fixture.orders.orders.get(order.id) ?? {}, { createdAt: '2020-01-01T00:00:00.000Z' });
      fixture.catalog.show();
    };
    return { ...order, move };
  };
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const linksTo = async (id: string) => (await storedLinks()).filter(({ orderId }) => orderId === id);

  test('ends with the dates of now, at the access, and lives again when the performance moves', async () => {
    const order = await bought();
    const link = await tokenOf(order);
    order.move(daysAgo(31));
    expect((await read(link)).text).toBe((await read()).text);
    order.move(daysAgo(29));
    expect((await read(link)).status).toBe(200);
  });

  test('is deleted after its end, unless its performance has moved meanwhile', async () => {
    const [ended, moved] = [await bought(), await bought()];
    for (const { move } of [ended, moved]) move(daysAgo(29));
    const [gone, stays] = [await tokenOf(ended), await tokenOf(moved)];
    moved.move(daysAgo(-200));
    const sweeper = startSweeper({
      store: fixture.store,
      collections: [orderLinks],
      retention: pos.retention?.({ sessionIdleSeconds: 1_800 } as never, fixture.context) ?? {},
      logger: { warn: (message) => expect(message).toBeUndefined() },
      now: () => Date.now() + 2 * DAY_MS,
    });
    await sweeper.sweep();
    await sweeper.close();
    expect([await linksTo(ended.id), (await linksTo(moved.id)).length]).toEqual([[], 1]);
    expect((await read(gone)).status).toBe(404);
    expect((await read(stays)).status).toBe(200);
  });
});
