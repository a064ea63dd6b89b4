// rule platform.8: Bounds hold for what a client does, too | services/orders/src/context.ts
import { randomUUID } from 'node:crypto';
import type { CallerUser, ClientBounds } from '@boxoffice/identity';
import { expect, test } from '@jest/globals';
import { type Call, describeOnEachEngine } from '../fixture/fixture.ts';

const DAY_MS = 86_400_000;
const bounds: ClientBounds = { ownOrders: true, pointsOfSale: [] };

describeOnEachEngine('bounds hold for what a client does', (fixture) => {
  /** A client of its own for each test, with these limits. */
  const newAgency = (limits: Partial<ClientBounds> = {}): Call => ({
    client: `agency-${randomUUID()}`,
    bounds: { ...bounds, ...limits },
  });
  const make = async (call: Call, quantity = 2) => {
    const made = await fixture.call('POST', '', {
      body: { items: [fixture.catalog.hall(60).item(quantity)] },
      ...call,
    });
    return { ...made, path: `/${made.data?.id}` };
  };
  const confirm = (path: string, call: Call, body: object = { onAccount: true }) =>
    fixture.call('POST', `${path}/confirmation`, { ...call, body });

  test('it confirms on account only if they say so', async () => {
    const agency = newAgency();
    const { path } = await make(agency);
    const refused = await confirm(path, agency);
    expect([refused.status, refused.code]).toEqual([403, 'forbidden']);
    expect((await confirm('/ord_00000000000000000000', agency)).status).toBe(404);
    expect((await fixture.call('GET', path, agency)).data.state).toBe('open');
    // What is not on account is as for everybody.
    expect((await confirm(path, agency, {})).code).toBe('order_unpaid');
    const trusted = newAgency({ onAccount: true });
    expect((await confirm((await make(trusted)).path, trusted)).data.state).toBe('confirmed');
    expect((await confirm((await make({})).path, {})).data.state).toBe('confirmed');
  });

  test.each<[string, Partial<ClientBounds>, number]>([
    ['14 days, by default', {}, 14],
    ['as many days as they say', { reservationDays: 3 }, 3],
  ])('it reserves at most %s, ahead', async (_what, limits, days) => {
    const agency = newAgency(limits);
    const { path } = await make(agency);
    const reserve = (ms: number, call = agency, on = path) =>
      fixture.call('POST', `${on}/reservation`, { ...call, body: { dueAt: new Date(Date.now() + ms).toISOString() } });
    expect(await reserve((days + 1) * DAY_MS)).toMatchObject({
      status: 422,
      code: 'validation_error',
      details: expect.stringContaining(`${days} days`),
    });
    expect((await fixture.call('GET', path, agency)).data.state).toBe('open');
    expect((await reserve((days - 1) * DAY_MS)).status).toBe(200);
    const { path: other } = await make({});
    expect((await reserve((days + 1) * DAY_MS, {}, other)).status).toBe(200);
  });

  test('it holds at most as many unsold places as they say, with its users, in new orders and in new lines', async () => {
    const agency = newAgency({ heldPlaces: 5 });
    const user: CallerUser = { id: 'usr_agent', role: 'manager', contact: null, pointsOfSale: [] };
    const { path } = await make(agency, 3);
    const limited = { status: 409, code: 'order_hold_limit', details: expect.stringContaining('at most 5') };
    expect(await make(agency, 3)).toMatchObject(limited);
    expect(await make({ ...agency, user }, 3)).toMatchObject(limited);
    const hall = fixture.catalog.hall(10);
    const add = (quantity: number) =>
      fixture.call('POST', `${path}/lines`, { ...agency, body: { items: [hall.item(quantity)] } });
    expect(await add(3)).toMatchObject(limited);
    const quote = await fixture.call<{ available: boolean; refusals: readonly { status: string }[] }>(
      'POST',
      '/quotes',
      {
        ...agency,
        body: { items: [hall.item(3)] },
      },
    );
    expect(quote.data).toMatchObject({ available: false, refusals: [{ status: 'order_hold_limit' }] });
    expect((await make({ ...agency, user }, 2)).status).toBe(201);
    expect((await add(1)).status).toBe(409);
    // What is sold is held no more.
    await fixture.call('POST', `${path}/cancellation`, { ...agency, body: {} });
    expect((await make(agency, 3)).status).toBe(201);
    expect((await make({ client: 'unbounded' }, 6)).status).toBe(201);
  });

  test('it holds at most 500 unsold places by default', async () => {
    const agency = newAgency();
    const item = (quantity: number) => fixture.catalog.hall(600).item(quantity);
    const order = (items: object[]) => fixture.call('POST', '', { ...agency, body: { items } });
    expect((await order(Array.from({ length: 10 }, () => item(50)))).status).toBe(201);
    expect((await order([item(1)])).code).toBe('order_hold_limit');
  });
});
