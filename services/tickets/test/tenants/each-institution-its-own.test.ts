import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines, missing } from '../fixture/engines.ts';
import { confirmed, PATH, printed, SHOP } from '../fixture/orders.ts';
import { type Fixture, openFixture, startInstance } from '../fixture/service.ts';

/** What an institution sees of another one's ticket: every status and body that is not like an unknown ticket's. */
const leaks = async (fixture: Fixture, call = fixture.call): Promise<string[]> => {
  const { order, id } = await printed(fixture, confirmed());
  const institution = 'museum';
  const calls: readonly [string, string, object?][] = [
    ['GET', ''],
    ['PATCH', '', { beneficiary: { lastName: 'Taken' } }],
    ['POST', '/printing'],
    ['DELETE', '/printing'],
    ['POST', '/replacement', {}],
    ['POST', '/control', {}],
    ['DELETE', '/control'],
  ];
  const found: string[] = [];
  for (const [method, rest, body] of calls) {
    const ask = (ticketId: string) => call(method, `${PATH}/${ticketId}${rest}`, { institution, body });
    const [foreign, unknown] = [await ask(id), await ask('tic_0000000000000000')];
    if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(`${method} ${rest}`);
  }
  for (const [method, rest, body] of [
    ['GET', ''],
    ['POST', '/beneficiary', { lastName: 'Taken' }],
  ] as const) {
    const ask = (ticketId: string) => call(method, `${SHOP}/${ticketId}${rest}`, { institution, body });
    const [foreign, unknown] = [await ask(id), await ask('tic_0000000000000000')];
    if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(`shop ${method} ${rest}`);
  }
  const shown = await call('GET', `${SHOP}?orderIds=${order.orderId}`, { institution });
  if (shown.text.includes(id)) found.push('listShopTickets');
  for (const query of ['limit=500', `orderId=${order.orderId}`, 'status=printed&limit=500']) {
    if ((await call('GET', `${PATH}?${query}`, { institution })).text.includes(id)) found.push(`list ${query}`);
  }
  const internal = await call('GET', `/internal/orders/${order.orderId}/tickets`, { institution });
  if (internal.text.includes(id)) found.push('getOrderTickets');
  return found;
};

describe.each(engines)(`each institution its own tickets, on $name${missing}`, (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('another one’s ticket is byte for byte an unknown one, for every operation', async () => {
    expect(await leaks(fixture)).toEqual([]);
  });

  test('another one’s cancellation does not reach it', async () => {
    const { order, id } = await printed(fixture);
    const data = { orderId: order.orderId, hadTickets: true, override: true, placeIds: [] };
    // Its tombstone would need the order's id, which is taken.
    await fixture.hear('order.cancelled', data, { institution: 'museum' }).catch(() => undefined);
    expect((await fixture.call('GET', `${PATH}/${id}`)).data).toMatchObject({ status: 'printed' });
  });
});

test('control: without the tenant filter the same look finds leaks', async () => {
  const fixture = await openFixture();
  const { store } = fixture;
  const collection: typeof store.collection = (of) => {
    const handle = store.collection(of);
    const all = (institution: string) => {
      const { insert, insertMany } = handle.of(institution);
      return { ...handle.acrossInstitutions, insert, insertMany };
    };
    return { ...handle, of: all };
  };
  const leaky = await startInstance({ ...store, collection }, fixture.institution);
  const found = await leaks(fixture, leaky.call);
  await leaky.close();
  await fixture.close();
  expect(found).toContain('GET ');
  expect(found).toContain('list limit=500');
  expect(found).toContain('getOrderTickets');
  expect(found).toContain('shop GET ');
  expect(found).toContain('listShopTickets');
});
