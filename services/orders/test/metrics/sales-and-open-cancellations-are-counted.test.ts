import { createMetrics, type Metrics } from '@boxoffice/runtime';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { engines, openFixture } from '../fixture/fixture.ts';
import { newOrder } from '../fixture/orders.ts';

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
    const { path, order } = await newOrder(fixture);
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
    const settled = await readMetrics('orders_');
    expect(settled.orders_step_open_seconds).toBe(0);
    expect(settled.orders_expiry_overdue_seconds).toBe(0);
  });
});
