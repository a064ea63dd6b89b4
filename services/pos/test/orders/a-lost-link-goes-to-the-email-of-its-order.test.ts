import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mailsCollection } from '../../src/store.ts';
import { engines, openFixture, waitUntil } from '../fixture/fixture.ts';
import { openMailing, readHeaders, readLink, readText, sell } from '../mail/fixture.ts';

/** An address from which nothing was asked before. */
let nextAddress = 0;
const newAddress = (): string => {
  nextAddress += 1;
  return `198.51.100.${nextAddress}`;
};

describe.each(engines)('a lost link, on $name', (engine) => {
  const fixture = useFixture(() => openMailing({ engine }));

  let email: string;
  beforeEach(() => {
    email = `${randomUUID()}@example.org`;
  });

  const ask = (body: object, from = newAddress(), more: object = {}) =>
    fixture.call('POST', '/order-links/requests', {
      version: 'vexp',
      body,
      headers: { 'x-forwarded-for': from },
      ...more,
    });
  /** The mails about an order, once all that was asked for is looked up and sent. */
  const mailsOf = async (orderId: string) => {
    await fixture.context.lostLinks.settled();
    const mails = () => fixture.store.collection(mailsCollection).of('opera').find({ where: { orderId } });
    await waitUntil(async () => (await mails()).every(({ state }) => state !== 'waiting'));
    return mails();
  };
  const sentTo = (address: string) => fixture.server.received.filter(({ to }) => to === address);

  test('comes as a new link, by the number in either case and the email in any that contacts count as the same', async () => {
    const { id, order } = await sell(fixture, { email });
    const { status, data } = await ask({
      email: ` ${email.toUpperCase()} `,
      number: ` ${order.number.toUpperCase()} `,
    });
    expect([status, data]).toEqual([202, {}]);
    expect((await mailsOf(id)).map(({ kind, state }) => [kind, state])).toEqual([['link', 'sent']]);
    const [mail, ...others] = sentTo(email);
    if (!mail) throw new Error('no mail came');
    expect(others).toEqual([]);
    expect(readHeaders(mail)).toContain('Auto-Submitted: auto-generated');
    expect(readText(mail)).toContain(order.number);
    // The link has the tickets.
    expect(mail.raw).not.toContain('Content-Disposition: attachment');
    const headers = { 'x-order-link': new URL(readLink(mail)).hash.slice(1) };
    const shown = await fixture.call('GET', '/order-links/current/order', { version: 'vexp', headers });
    expect(shown).toMatchObject({ status: 200, data: { id } });
  });

  test('has the same answer whether email and number fit or not, and goes nowhere else', async () => {
    const { id, order } = await sell(fixture, { email });
    const other = await sell(fixture, { email: `${randomUUID()}@example.org` });
    const answers = [
      await ask({ email, number: order.number }),
      await ask({ email, number: other.order.number }),
      await ask({ email, number: 'unknown2' }),
      await ask({ email: 'nobody@example.org', number: order.number }),
      await ask({ email, number: '..' }),
    ];
    const seen = answers.map(({ status, text, headers }) => [status, text, [...headers.keys()].sort()]);
    expect(seen).toEqual(seen.map(() => seen[0]));
    expect(await mailsOf(id)).toHaveLength(1);
    expect([sentTo(email).length, sentTo('nobody@example.org').length]).toEqual([1, 0]);
    expect(await mailsOf(other.id)).toEqual([]);
  });

  test('is looked up after the answer, which waits for no other service', async () => {
    const { id, order } = await sell(fixture, { email });
    const { promise: answered, resolve } = Promise.withResolvers<void>();
    fixture.orders.before.set('findShopOrder', () => answered);
    const answers = [await ask({ email, number: order.number }), await ask({ email, number: 'unknown2' })];
    fixture.orders.before.delete('findShopOrder');
    resolve();
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    await fixture.context.lostLinks.settled();
    await ask({ email, number: order.number });
    expect((await mailsOf(id)).length).toBeGreaterThan(0);
  });

  test('is asked for by anyone, with an ended session, too; an unread email or number is 400', async () => {
    const { id, order } = await sell(fixture, { email });
    expect((await ask({ email, number: order.number }, newAddress(), { token: 'x'.repeat(43) })).status).toBe(202);
    expect(await mailsOf(id)).toHaveLength(1);
    const answers = [await ask({ email: 'no email', number: order.number }), await ask({ email })];
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  });

  test.each(['cancelled', 'expired', 'reserved'] as const)(
    'of an order that is %s comes, too: it shows it',
    async (state) => {
      const { id, order } = await sell(fixture, { email });
      order.state = state;
      await ask({ email, number: order.number });
      expect((await mailsOf(id)).map(({ kind, state: ended }) => [kind, ended])).toEqual([['link', 'sent']]);
    },
  );

  test('of an order whose links have ended, or whose buyer is erased, comes no more', async () => {
    const past = await sell(fixture, { email });
    past.order.lines = past.order.lines.map((line) => ({
      ...line,
      performanceId: 'prf_gone',
      startDate: '2020-01-01T19:00:00.000Z',
    }));
    for (const ticket of fixture.tickets.tickets.values())
      if (ticket.orderId === past.id)
        fixture.tickets.tickets.set(ticket.id, { ...ticket, startDate: '2020-01-01T19:00:00.000Z' });
    const erased = await sell(fixture, { email });
    fixture.contacts.contact(erased.contactNumber, { email: null, erasedAt: new Date().toISOString() });
    for (const { order } of [past, erased]) expect((await ask({ email, number: order.number })).status).toBe(202);
    expect([await mailsOf(past.id), await mailsOf(erased.id)]).toEqual([[], []]);
  });

  test('is asked for five times an hour from an address, whatever is asked; another address still may', async () => {
    const { id, order } = await sell(fixture, { email });
    const from = newAddress();
    const answers = await Promise.all(Array.from({ length: 7 }, () => ask({ email, number: 'unknown2' }, from)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 202, 202, 202, 429, 429]);
    const refused = await ask({ email, number: order.number }, from);
    expect([refused.status, refused.code]).toEqual([429, 'too_many_requests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3_000);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(3_600);
    expect(await mailsOf(id)).toEqual([]);
    await ask({ email, number: order.number });
    expect(await mailsOf(id)).toHaveLength(1);
  });

  test('is sent five times a day for an order, from however many addresses, with the same answer', async () => {
    const { id, order } = await sell(fixture, { email });
    for (let asked = 0; asked < 7; asked += 1) {
      expect((await ask({ email, number: order.number })).status).toBe(202);
    }
    expect(await mailsOf(id)).toHaveLength(5);
  });
});

test('where no mails are sent the answer is the same, and nothing is written for later', async () => {
  const fixture = await openFixture();
  try {
    const { order, id } = await sell(fixture);
    const body = { email: 'ana.martin@example.org', number: order.number };
    expect((await fixture.call('POST', '/order-links/requests', { version: 'vexp', body })).status).toBe(202);
    await fixture.context.lostLinks.settled();
    expect(
      await fixture.store
        .collection(mailsCollection)
        .of('opera')
        .find({ where: { orderId: id } }),
    ).toEqual([]);
  } finally {
    await fixture.close();
  }
});
