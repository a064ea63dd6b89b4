import { expect, test } from '@jest/globals';
import { confirmed, printed, SHOP } from '../fixture/orders.ts';
import { describeOnEachEngine, type Fixture, openFixture, PATH, startInstance } from '../fixture/service.ts';

/** The operations whose answer about a ticket of another institution differs from that about an unknown one. */
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
    const send = (ticketId: string) => call(method, `${PATH}/${ticketId}${rest}`, { institution, body });
    const [foreign, unknown] = [await send(id), await send('tic_0000000000000000')];
    if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(`${method} ${rest}`);
  }
  for (const [method, rest, body] of [
    ['GET', ''],
    ['POST', '/beneficiary', { lastName: 'Taken' }],
  ] as const) {
    const send = (ticketId: string) => call(method, `${SHOP}/${ticketId}${rest}`, { institution, body });
    const [foreign, unknown] = [await send(id), await send('tic_0000000000000000')];
    if (foreign.status !== 404 || foreign.text !== unknown.text) found.push(`shop ${method} ${rest}`);
  }
  const shown = await call('GET', `${SHOP}?orderIds=${order.orderId}`, { institution });
  if (shown.text.includes(id)) found.push('listShopTickets');
  const { barcode } = await fixture.ticket(id);
  const byBarcode = await call('POST', `${PATH}/control`, { institution, body: { barcode } });
  if (byBarcode.body.status !== 'ticket_unknown_barcode') found.push('controlBarcode');
  const byOrder = await call('POST', `${PATH}/printing`, { institution, body: { orderId: order.orderId } });
  if (byOrder.status !== 404) found.push('printOrder');
  for (const query of ['limit=500', `orderId=${order.orderId}`, 'status=printed&limit=500']) {
    if ((await call('GET', `${PATH}?${query}`, { institution })).text.includes(id)) found.push(`list ${query}`);
  }
  const internal = await call('GET', `/internal/orders/${order.orderId}/tickets`, { institution });
  if (internal.text.includes(id)) found.push('getOrderTickets');
  return found;
};

describeOnEachEngine('an institution sees its own tickets only', (fixture) => {
  test('every operation answers for a ticket of another institution as for an unknown one', async () => {
    expect(await leaks(fixture)).toEqual([]);
  });

  test('a cancellation of another institution does not change the ticket', async () => {
    const { order, id } = await printed(fixture);
    const data = { orderId: order.orderId, hadTickets: true, override: true, placeIds: [] };
    // Its tombstone would need the id of the order, which exists already.
    await fixture.deliver('order.cancelled', data, { institution: 'museum' }).catch(() => undefined);
    expect((await fixture.call('GET', `${PATH}/${id}`)).data).toMatchObject({ status: 'printed' });
  });
});

test('negative control: without the tenant filter leaks are found', async () => {
  const fixture = await openFixture();
  const { store } = fixture;
  const collection: typeof store.collection = (of) => {
    const handle = store.collection(of);
    const all = (institution: string) => {
      const { insert, insertMany, insertInOrder } = handle.of(institution);
      return { ...handle.acrossInstitutions, insert, insertMany, insertInOrder };
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
  expect(found).toContain('printOrder');
  expect(found).toContain('shop GET ');
  expect(found).toContain('listShopTickets');
});
