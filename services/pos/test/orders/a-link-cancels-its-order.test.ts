import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { createLinkRequests, type Shown } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());
const { buy, read, tokenOf } = createLinkRequests(fixture);

const cancel = (
  id: string,
  link?: string,
  { token, version = 'vexp' }: { token?: string; version?: 'v1' | 'vexp' } = {},
) =>
  fixture.call<Shown>('POST', `/orders/${id}/cancellation`, {
    version,
    token,
    headers: link === undefined ? {} : { 'x-order-link': link },
  });

describe('a link cancels its order', () => {
  test.each([undefined, 'x'.repeat(43)])('without a session, with one that has ended (%s), once', async (token) => {
    const order = await buy(2);
    const link = await tokenOf(order);
    for (const _ of ['first', 'repeated']) {
      const { status, data } = await cancel(order.id, link, { token });
      expect([status, data.id, data.state]).toEqual([200, order.id, 'cancelled']);
    }
    expect((await read(link)).data).toMatchObject({ state: 'cancelled', tickets: {} });
  });

  test('and no other one: an unknown token and an order of another link are the same 404', async () => {
    const [order, other] = [await buy(), await buy()];
    const answers = [
      await cancel(order.id, await tokenOf(other)),
      await cancel(order.id, 'x'.repeat(43)),
      await cancel('ord_unknown', await tokenOf(other)),
    ];
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [404, 'not_found']));
    expect([order, other].map(({ id }) => fixture.orders.orders.get(id)?.state)).toEqual(['confirmed', 'confirmed']);
  });

  test('under vexp only; without link and session it is 401', async () => {
    const order = await buy();
    const link = await tokenOf(order);
    const answers = [await cancel(order.id, link, { version: 'v1' }), await cancel(order.id)];
    expect(answers.map(({ status, code }) => [status, code])).toEqual(answers.map(() => [401, 'session_required']));
    expect(fixture.orders.orders.get(order.id)?.state).toBe('confirmed');
  });

  test('unless orders refuses it, with the code that a session gets', async () => {
    const order = await buy();
    const link = await tokenOf(order);
    fixture.orders.refuseNext('not_cancellable');
    const { status, code } = await cancel(order.id, link);
    expect([status, code]).toEqual([400, 'order_not_cancellable']);
  });
});
