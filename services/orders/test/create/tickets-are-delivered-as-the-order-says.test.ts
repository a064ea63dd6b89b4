import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';
import { read } from '../fixture/orders.ts';
import { checkout, done, newCart, newContact } from '../fixture/shopper.ts';

const POINT_OF_SALE = 'tickets.opera.example';

interface Delivered {
  readonly id: string;
  readonly state: string;
  readonly version: number;
  readonly ticketDelivery: string;
}

describe.each(engines)('tickets are delivered as the order says, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  const create = async (more: object = {}): Promise<Delivered> => {
    const body = { items: [fixture.catalog.hall(2).item()], ...more };
    const { status, data, text } = await fixture.call<Delivered>('POST', '', { body });
    expect([status, text]).toEqual([201, text]);
    return data;
  };
  const change = (id: string, body: object) => fixture.call<Delivered>('PATCH', `/${id}`, { body });
  const confirm = (id: string) => fixture.call<Delivered>('POST', `/${id}/confirmation`, { body: { onAccount: true } });
  /** What the call of tickets and the fact say of the order, each the last one. */
  const told = async (id: string) => {
    const call = fixture.tickets.calls.findLast(
      ({ operation, body }) => operation === 'issueTickets' && (body as { orderId: string }).orderId === id,
    );
    const isTheirs = ({ type, key }: { readonly type: string; readonly key: string }) =>
      type === 'order.confirmed' && key === id;
    await until(async () => fixture.facts.some(isTheirs));
    const fact = fixture.facts.findLast(isTheirs);
    return [call?.body, fact?.data].map((data) => (data as { ticketDelivery?: string } | undefined)?.ticketDelivery);
  };

  test('as it asks for, else as its point of sale, else for print', async () => {
    fixture.catalog.ticketDelivery = 'print';
    const kiosk = await create({ pointOfSale: POINT_OF_SALE });
    fixture.catalog.ticketDelivery = 'electronic';
    const shop = await create({ pointOfSale: POINT_OF_SALE });
    const asked = await create({ pointOfSale: POINT_OF_SALE, ticketDelivery: 'print' });
    const [partner, none] = [await create({ ticketDelivery: 'electronic' }), await create()];
    const all = [kiosk, shop, asked, partner, none];
    const wanted = ['print', 'electronic', 'print', 'electronic', 'print'];
    expect(all.map(({ ticketDelivery }) => ticketDelivery)).toEqual(wanted);
    for (const [index, { id }] of all.entries()) {
      const { data } = await confirm(id);
      expect([data.state, data.ticketDelivery]).toEqual(['confirmed', wanted[index]]);
      expect(await told(id)).toEqual([wanted[index], wanted[index]]);
    }
  });

  test('a cart as its point of sale when its first item was added', async () => {
    const { cart, path } = await newCart(fixture);
    fixture.catalog.ticketDelivery = 'print';
    done(await checkout(fixture, path, { contactNumber: newContact(fixture) }));
    fixture.catalog.ticketDelivery = 'electronic';
    expect(await told(cart.id)).toEqual(['electronic', 'electronic']);
  });

  test('changed until the order is confirmed or cancelled; written back afterwards it is accepted', async () => {
    const { id, version } = await create();
    const changed = await change(id, { ticketDelivery: 'electronic' });
    expect([changed.status, changed.data.ticketDelivery]).toEqual([200, 'electronic']);
    expect(changed.data.version).toBeGreaterThan(version);
    for (const ticketDelivery of [null, 'pigeon', '']) {
      const { status, details } = await change(id, { ticketDelivery });
      expect([status, details]).toEqual([400, expect.stringContaining('$.ticketDelivery')]);
    }
    await confirm(id);
    expect(await told(id)).toEqual(['electronic', 'electronic']);
    const late = await change(id, { ticketDelivery: 'print', externalReference: 'late' });
    expect([late.status, late.code]).toEqual([412, 'order_confirmed']);
    expect(await read(fixture, `/${id}`)).toMatchObject({ ticketDelivery: 'electronic', externalReference: null });
    expect((await change(id, { ticketDelivery: 'electronic', externalReference: 'same' })).status).toBe(200);
    await fixture.call('POST', `/${id}/cancellation`, { body: {} });
    expect((await change(id, { ticketDelivery: 'print' })).code).toBe('order_cancelled');
  });

  test('also while it waits for its payment or is expired, since it can still be confirmed', async () => {
    const waiting = await create();
    const payment = { method: 'card', amount: 1_000, status: 'pending' };
    await fixture.call('POST', `/${waiting.id}/payments`, { body: payment });
    fixture.catalog.holdMs = 1;
    const expired = await create();
    fixture.catalog.holdMs = 900_000;
    for (const [{ id }, state] of [
      [waiting, 'payment_pending'],
      [expired, 'expired'],
    ] as const) {
      const { status, data } = await change(id, { ticketDelivery: 'electronic' });
      expect([status, data.state, data.ticketDelivery]).toEqual([200, state, 'electronic']);
    }
  });

  test('a quote takes it as well; what no order can have is 400', async () => {
    const items = [fixture.catalog.hall(1).item()];
    const quoted = await fixture.call('POST', '/quotes', { body: { items, ticketDelivery: 'electronic' } });
    expect(quoted.status).toBe(200);
    for (const path of ['', '/quotes']) {
      const refused = await fixture.call('POST', path, { body: { items, ticketDelivery: 'mail' } });
      expect([refused.status, refused.details]).toEqual([400, expect.stringContaining('$.ticketDelivery')]);
    }
  });

  test('an order of a release without the member is for print, and can be changed', async () => {
    const { id } = await create({ ticketDelivery: 'electronic' });
    await fixture.context.orders.of('opera').update(id, ({ ticketDelivery: _, ...older }) => ({ next: older }));
    expect(await fixture.context.orders.of('opera').get(id)).not.toHaveProperty('ticketDelivery');
    expect(await read(fixture, `/${id}`)).toMatchObject({ ticketDelivery: 'print' });
    expect((await change(id, { ticketDelivery: 'electronic' })).data.ticketDelivery).toBe('electronic');
  });
});
