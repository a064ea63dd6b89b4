import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { mailsCollection } from '../../src/store.ts';
import { engines, waitUntil } from '../fixture/fixture.ts';
import { announce, openMailing, readHeaders, sell } from './fixture.ts';

describe.each(engines)("an order's mails are right when they are handed over, and go in order, on $name", (engine) => {
  const fixture = useFixture(() => openMailing({ engine }));
  let email: string;
  beforeEach(() => {
    email = `${randomUUID()}@example.org`;
    fixture.server.reply = () => undefined;
    fixture.tickets.before.clear();
  });

  const stored = async (orderId: string) => {
    const mails = await fixture.store.collection(mailsCollection).of('opera').find({ where: { orderId } });
    return mails.toSorted((one, other) => one.createdAt - other.createdAt);
  };
  const subjectsTo = (address: string): string[] =>
    fixture.server.received.filter(({ to }) => to === address).map(readHeaders);
  const isOver = (orderId: string) => async () => (await stored(orderId)).every(({ state }) => state !== 'waiting');

  /** Orders cancels it, as the services that pos asks say from now on. */
  const cancel = (order: object): void => {
    Object.assign(order, { state: 'cancelled', version: 2 });
  };

  test('an order that is cancelled while its confirmation is drawn gets the cancellation alone', async () => {
    const { id, order } = await sell(fixture, { email });
    const drawing = Promise.withResolvers<void>();
    const drawn = Promise.withResolvers<void>();
    fixture.tickets.before.set('drawShopDocument', async () => {
      drawing.resolve();
      await drawn.promise;
    });
    await announce(fixture, id, 'order.confirmed');
    await drawing.promise;
    cancel(order);
    await announce(fixture, id, 'order.cancelled');
    drawn.resolve();
    await waitUntil(isOver(id));
    expect(subjectsTo(email)).toEqual([expect.stringMatching(/^Subject: .*annul/m)]);
    expect(await stored(id)).toMatchObject([
      { kind: 'confirmation', state: 'dropped', reason: 'outdated' },
      { kind: 'cancelled', state: 'sent' },
    ]);
  });

  test('a cancellation follows the confirmation that the server is just taking', async () => {
    const held = Promise.withResolvers<void>();
    fixture.server.reply = (address) => (address === email ? held.promise : undefined);
    const { id, order } = await sell(fixture, { email });
    await announce(fixture, id, 'order.confirmed');
    await waitUntil(() => fixture.server.named.includes(email));
    cancel(order);
    await announce(fixture, id, 'order.cancelled');
    await waitUntil(async () => (await stored(id)).at(-1)?.reason === 'behind');
    held.resolve();
    await waitUntil(isOver(id));
    expect(subjectsTo(email)).toEqual([
      expect.stringMatching(/^Subject: .*Votre.commande/m),
      expect.stringMatching(/^Subject: .*annul/m),
    ]);
  });

  test('a refund waits for the confirmation that the server has put off; a cancellation drops it', async () => {
    fixture.server.reply = (address) => (address === email ? 452 : undefined);
    const { id, order } = await sell(fixture, { email });
    await announce(fixture, id, 'order.confirmed');
    await waitUntil(async () => (await stored(id))[0]?.reason === '452');
    const data = { orderId: id, amount: 4_500, currency: 'CHF' };
    await announce(fixture, id, 'refund.recorded', { resource: { type: 'refund', id: 'ref_1' }, data });
    await waitUntil(async () => (await stored(id)).at(-1)?.reason === 'behind');
    fixture.server.reply = () => undefined;
    cancel(order);
    await announce(fixture, id, 'order.cancelled');
    await waitUntil(isOver(id));
    expect(await stored(id)).toMatchObject([
      { kind: 'confirmation', state: 'dropped', reason: 'outdated' },
      { kind: 'refund', state: 'sent' },
      { kind: 'cancelled', state: 'sent' },
    ]);
    expect(subjectsTo(email)).toEqual([
      expect.stringMatching(/^Subject: .*Remboursement/m),
      expect.stringMatching(/^Subject: .*annul/m),
    ]);
  });
});
