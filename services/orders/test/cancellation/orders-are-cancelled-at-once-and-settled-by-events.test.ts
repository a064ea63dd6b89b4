import { randomUUID } from 'node:crypto';
import { createMetrics, type Metrics } from '@boxoffice/runtime';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { cancelOrder } from '../../src/orders/actions.ts';
import { describeOnEachEngine, engines, openFixture, waitUntil } from '../fixture/fixture.ts';
import {
  add,
  buyCart,
  createCart,
  createCartId,
  createContact,
  createOrderInHall,
  pay,
  postToShop,
  read,
  requireDone,
} from '../fixture/orders.ts';

describeOnEachEngine('cancellation', (fixture) => {
  describe('orders are cancelled at once and settled by events', () => {
    const confirmed = async () => {
      const made = await createOrderInHall(fixture);
      await fixture.confirm(made.path);
      return { ...made, order: await read(fixture, made.path) };
    };
    const cancel = (path: string, body: object = {}, call: object = {}) =>
      fixture.call('POST', `${path}/cancellation`, { body, ...call });

    test('the released places settle the cancellation of an unpaid order', async () => {
      const { path, order } = await createOrderInHall(fixture);
      const key = randomUUID();
      const first = await cancel(path, { reason: 'ill' }, { key });
      expect(first.data).toMatchObject({
        state: 'cancelled',
        cancellation: { reason: 'ill', ticketsCancelled: 0, controlled: 0, placesReleased: null, settledAt: null },
      });
      const placeIds = order.lines.map(({ place }) => place.id);
      await waitUntil(() => fixture.factsOf(order.id).length > 0);
      expect(fixture.factsOf(order.id)).toMatchObject([
        {
          type: 'order.cancelled',
          version: first.data.version,
          data: { orderId: order.id, hadTickets: false, override: false, placeIds },
        },
      ]);
      // Releases by an earlier expiry, or of tickets that the order never had, do not settle the cancellation.
      for (const cause of ['order.expired', 'tickets.cancelled'])
        await fixture.deliver('places.released', { orderId: order.id, cause, placeIds, placesReleased: 9 }, 5);
      expect(await read(fixture, path)).toMatchObject({ cancellation: { placesReleased: null } });
      await fixture.deliver('places.released', {
        orderId: order.id,
        cause: 'order.cancelled',
        placeIds,
        placesReleased: 2,
      });
      expect(await read(fixture, path)).toMatchObject({
        cancellation: { placesReleased: 2, settledAt: expect.any(String) },
      });
      expect((await cancel(path, { reason: 'ill' }, { key })).text).toBe(first.text);
      expect((await cancel(path)).status).toBe(412);
      expect((await pay(fixture, path)).status).toBe(412);
    });

    test('events settle the cancellation of a confirmed order, in any order and despite duplicates', async () => {
      const { path, order } = await confirmed();
      await cancel(path);
      const { id: orderId } = order;
      const released = { orderId, cause: 'tickets.cancelled', placeIds: [], placesReleased: 1 };
      const tickets = { orderId, ticketsCancelled: 1, controlled: 1, placeIds: [], keptPlaceIds: [] };
      await fixture.deliver('places.released', released, 1);
      await fixture.deliver('tickets.cancelled', tickets, 3);
      const settled = await read(fixture, path);
      expect(settled).toMatchObject({
        cancellation: { ticketsCancelled: 1, controlled: 1, placesReleased: 1, settledAt: expect.any(String) },
      });
      await fixture.deliver('tickets.cancelled', { ...tickets, ticketsCancelled: 7 }, 2);
      await fixture.deliver('tickets.cancelled', tickets, 3);
      await fixture.deliver('places.released', { ...released, placesReleased: 7 }, 1);
      expect(await read(fixture, path)).toEqual(settled);
    });

    test('a controlled ticket makes the cancellation 412, unless a client with the scope overrides it', async () => {
      const { path, order } = await confirmed();
      fixture.tickets.controlled.set(order.id, [String(order.lines[0]?.ticketId)]);
      expect((await cancel(path)).status).toBe(412);
      const scopes = ['orders:write'];
      const denied = await cancel(path, { override: true }, { scopes });
      expect(denied).toMatchObject({ status: 412, code: 'order_ticket_controlled' });
      expect(denied.details).toContain('orders.sensitive:write');
      expect((await cancel(path, {}, { scopes })).details).not.toContain('orders.sensitive:write');
      expect((await cancel(path, { override: true })).data.state).toBe('cancelled');
      await waitUntil(() => fixture.factsOf(order.id).some(({ type }) => type === 'order.cancelled'));
      const fact = fixture.factsOf(order.id).find(({ type }) => type === 'order.cancelled');
      expect(fact?.data).toMatchObject({ hadTickets: true, override: true });
    });

    test('an override without the scope is ignored: an order without a controlled ticket is cancelled', async () => {
      const { path, order } = await confirmed();
      const { data } = await cancel(path, { override: true }, { scopes: ['orders:write'] });
      expect(data.state).toBe('cancelled');
      await waitUntil(() => fixture.factsOf(order.id).some(({ type }) => type === 'order.cancelled'));
      const fact = fixture.factsOf(order.id).find(({ type }) => type === 'order.cancelled');
      expect(fact?.data).toMatchObject({ override: false });
    });

    test('without an answer of tickets the control state recorded in the order decides', async () => {
      const [known, unknown] = [await confirmed(), await confirmed()];
      const ticketId = String(known.order.lines[0]?.ticketId);
      await fixture.deliver(
        'ticket.controlled',
        { orderId: known.order.id, ticketId, controlledAt: 'x', gate: null },
        4,
      );
      fixture.tickets.mishaps.set('getOrderTickets', 'fails');
      expect((await cancel(known.path)).status).toBe(412);
      expect((await cancel(unknown.path)).status).toBe(200);
      await fixture.deliver('ticket.control_reverted', { orderId: known.order.id, ticketId }, 3);
      expect((await cancel(known.path)).status).toBe(412);
      await fixture.deliver('ticket.control_reverted', { orderId: known.order.id, ticketId }, 5);
      expect((await cancel(known.path)).status).toBe(200);
      fixture.tickets.mishaps.clear();
    });

    test('the line shows the last replacing ticket, in any order of the events', async () => {
      const { path, order } = await confirmed();
      const [line] = order.lines;
      const ticketId = String(line?.ticketId);
      const replaced = (to: string, from: string) =>
        fixture.deliver('ticket.replaced', { orderId: order.id, lineId: line?.id, ticketId: to, replaces: from });
      await replaced('tic_c', 'tic_b');
      expect((await read(fixture, path)).lines[0]?.ticketId).toBe(ticketId);
      await replaced('tic_b', ticketId);
      expect((await read(fixture, path)).lines[0]?.ticketId).toBe('tic_c');
    });

    test('events of unknown orders and unreadable events do not stop the queue', async () => {
      await fixture.deliver('tickets.cancelled', { orderId: 'ord_unknown', ticketsCancelled: 1, controlled: 0 });
      await fixture.deliver('tickets.cancelled', { nothing: true });
      await fixture.deliver('places.released', { orderId: 'ord_unknown', cause: 'weather', placesReleased: 1 });
      expect((await createOrderInHall(fixture)).order.state).toBe('open');
    });
  });

  describe('a cancellation', () => {
    test.each<[string, (version: string) => void]>([
      ['the order is cancelled', () => undefined],
      [
        'the version is another',
        () => {
          throw new Error('the version is another');
        },
      ],
    ])('that is written late is what its repeat gets as its answer, not that %s', async (_, ifMatch) => {
      const { order, path } = await createOrderInHall(fixture);
      await pay(fixture, path, { amount: order.total });
      await fixture.call('POST', `${path}/confirmation`);
      // While the repeat asks for the tickets, the write of the first attempt arrives.
      const answer = () => ({ status: 200, headers: {}, body: {} });
      const idempotencyRecord = { key: randomUUID(), fingerprint: 'a', expiresAt: Date.now() + 86_400_000, answer };
      const command = { institution: 'opera', orderId: order.id, ifMatch, idempotencyRecord };
      const { context } = fixture;
      const late = {
        ...context,
        tickets: {
          ...context.tickets,
          controlled: async () => {
            await cancelOrder(context, { ...command, ifMatch: () => undefined }, { reason: null, override: true });
            return [];
          },
        },
      };
      const outcome = cancelOrder(late, command, { reason: null, override: false });
      await expect(outcome).rejects.toMatchObject({ name: 'IdempotencyKeyTaken' });
      expect(await context.orders.of('opera').get(order.id)).toMatchObject({ state: 'cancelled' });
    });
  });

  describe('shoppers cancel until the first performance starts', () => {
    let contactNumber: string;
    beforeAll(() => {
      contactNumber = createContact(fixture);
    });

    const cancel = (path: string, requestId = 'cancel') =>
      postToShop(fixture, `${path}/cancellation`, { requestId, reason: 'we are ill' });
    const refused = { outcome: 'refused', reason: 'not_cancellable' };

    test('a shopper cancels a confirmed and a waiting order; a repeat succeeds, another request is refused', async () => {
      for (const paymentToken of ['ok', 'pending']) {
        const { path } = await createCart(fixture);
        requireDone(await buyCart(fixture, path, { contactNumber, paymentToken }));
        expect(requireDone(await cancel(path)).state).toBe('cancelled');
        expect(requireDone(await cancel(path)).state).toBe('cancelled');
        expect(await cancel(path, 'another')).toMatchObject({ ...refused, order: { state: 'cancelled' } });
        expect((await fixture.call('GET', path)).data).toMatchObject({
          state: 'cancelled',
          cancellation: { reason: 'we are ill' },
        });
      }
    });

    test('an order is not cancelled once one of its performances has started', async () => {
      const past = fixture.catalog.hall(2, { startDate: '2020-01-01T19:00:00.000Z' });
      const cart = requireDone(await add(fixture, createCartId(), [fixture.catalog.hall(1).item(), past.item()]));
      requireDone(await buyCart(fixture, `/${cart.id}`, { contactNumber }));
      expect(await cancel(`/${cart.id}`)).toMatchObject({ ...refused, order: { state: 'confirmed' } });
    });

    test('an order with a controlled ticket is not cancelled', async () => {
      const { cart, path } = await createCart(fixture);
      const { lines } = requireDone(await buyCart(fixture, path, { contactNumber }));
      fixture.tickets.controlled.set(cart.id, [String(lines[0]?.ticketId)]);
      expect(await cancel(path)).toMatchObject({ ...refused, order: { state: 'confirmed' } });
    });

    test('an expired order is not cancelled; a cart and an unknown order are 404', async () => {
      const { path } = await createCart(fixture);
      expect((await fixture.shop('POST', `${path}/cancellation`, { body: { requestId: 'r' } })).status).toBe(404);
      expect((await fixture.shop('POST', '/ord_unknown/cancellation', { body: { requestId: 'r' } })).status).toBe(404);
      const hall = fixture.catalog.hall(1);
      const { data } = await fixture.call('POST', '', { body: { items: [hall.item()] } });
      fixture.catalog.holdMs = 1;
      const late = await fixture.call('POST', '', { body: { items: [fixture.catalog.hall(1).item()] } });
      fixture.catalog.holdMs = 900_000;
      expect(await cancel(`/${late.data.id}`)).toMatchObject({ ...refused, order: { state: 'expired' } });
      expect(requireDone(await cancel(`/${data.id}`)).state).toBe('cancelled');
    });
  });
});

describe.each(engines)('sales and open cancellations are counted, on $name', (engine) => {
  let metrics: Metrics;
  const fixture = useFixture(async () => {
    metrics = await createMetrics();
    return openFixture(engine, { metrics });
  });

  const readMetrics = async (prefix: string): Promise<Record<string, number>> => {
    const lines = (await metrics.text()).text.split('\n').filter((line) => line.startsWith(prefix));
    return Object.fromEntries(
      lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
    );
  };

  test('a hold, a sale, its cancellation and its settlement change the metrics', async () => {
    const { path, order } = await createOrderInHall(fixture);
    const places = order.lines.length;
    expect(await readMetrics('orders_moved')).toEqual({ 'orders_moved_total{from="new",to="open"}': 1 });
    expect(await readMetrics('orders_held')).toEqual({ orders_held: 1 });
    await fixture.confirm(path);
    expect(await readMetrics('orders_places')).toEqual({
      'orders_places_moved_total{from="new",to="open"}': places,
      'orders_places_moved_total{from="open",to="confirmed"}': places,
    });
    expect(await readMetrics('orders_cancel')).toEqual({
      orders_cancellations_open: 0,
      orders_cancellation_open_seconds: 0,
    });

    await fixture.call('POST', `${path}/cancellation`, { body: {} });
    expect((await readMetrics('orders_moved'))['orders_moved_total{from="confirmed",to="cancelled"}']).toBe(1);
    const open = await readMetrics('orders_cancel');
    expect(open.orders_cancellations_open).toBe(1);
    expect(open.orders_cancellation_open_seconds).toBeGreaterThan(0);
    expect(await readMetrics('orders_held')).toEqual({ orders_held: 0 });

    const about = { orderId: order.id, placeIds: [], keptPlaceIds: [] };
    await fixture.deliver('tickets.cancelled', { ...about, ticketsCancelled: places, controlled: 0 });
    await fixture.deliver('places.released', { ...about, cause: 'tickets.cancelled', placesReleased: places });
    expect(await readMetrics('orders_cancel')).toEqual({
      orders_cancellations_open: 0,
      orders_cancellation_open_seconds: 0,
    });
  });
});
