import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';
import { newOrder, type Payment, pay } from '../fixture/orders.ts';

describe.each(engines)('payments and refunds can be read, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  /** The path of a Location, in the form that the fixture expects. */
  const at = (headers: Headers) => String(headers.get('location')).replace('/svc/v3/orders', '');
  const refund = (path: string, amount: number, key?: string) =>
    fixture.call<Payment>('POST', `${path}/refunds`, { body: { amount, method: 'card', reference: 'r' }, key });

  test('a payment is read at its Location with the scope for references', async () => {
    const { path } = await newOrder(fixture);
    const made = await pay(fixture, path, { amount: 500, reference: 'psp-1' });
    const found = await fixture.call<Payment>('GET', at(made.headers));
    expect([found.status, found.data]).toEqual([200, made.data]);
    expect(found.headers.get('etag')).toBe(made.headers.get('etag'));
    expect((await fixture.call('GET', at(made.headers), { scopes: ['orders:read'] })).status).toBe(403);
    expect((await fixture.call('GET', `${path}/payments/pay_unknown`)).status).toBe(404);
    const other = await newOrder(fixture);
    expect((await fixture.call('GET', `${other.path}/payments/${made.data.id}`)).status).toBe(404);
  });

  test('a refund is read at its Location, and all refunds page by page', async () => {
    const { path } = await newOrder(fixture);
    await pay(fixture, path);
    const made = await refund(path, 100);
    const found = await fixture.call<Payment>('GET', at(made.headers));
    expect([found.status, found.data]).toEqual([200, made.data]);
    expect((await fixture.call('GET', at(made.headers), { scopes: ['orders:read'] })).status).toBe(403);
    expect((await fixture.call('GET', `${path}/refunds/ref_unknown`)).status).toBe(404);
    await refund(path, 200);
    const page = (query: string) =>
      fixture.call<{ items: Payment[]; nextCursor: string | null }>('GET', `${path}/refunds?limit=1${query}`);
    const first = await page('');
    expect(first.data.items).toEqual([made.data]);
    expect((await page(`&cursor=${first.data.nextCursor}`)).data).toMatchObject({
      items: [{ amount: 200 }],
      nextCursor: null,
    });
  });

  test('an erasure keeps the idempotency records of payments and refunds, and deletes those of orders', async () => {
    const contactNumber = `C${randomUUID()}`;
    fixture.contacts.known.set(contactNumber, null);
    const { path } = await newOrder(fixture);
    await fixture.call('PATCH', path, { body: { contactNumber } });
    const keys = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    const act = async () => {
      const answers = [
        await pay(fixture, path, { amount: 500 }, { key: keys[0] }),
        await pay(fixture, path, { amount: 1_500 }, { key: keys[1] }),
        await refund(path, 10, keys[2]),
        await fixture.call('PATCH', path, { body: { externalReference: 'x' }, key: keys[3] }),
      ];
      return answers.map(({ status, headers }) => [status, headers.get('idempotency-replayed')]);
    };
    const expected = (...replayed: (string | null)[]) =>
      [201, 201, 201, 200].map((status, at) => [status, replayed[at]]);
    expect(await act()).toEqual(expected(null, null, null, null));
    expect(await act()).toEqual(expected('true', 'true', 'true', 'true'));
    await fixture.deliver('contact.erased', { contactNumber });
    expect(await act()).toEqual(expected('true', 'true', 'true', null));
  });
});
