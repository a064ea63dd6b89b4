import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { sweep } from '../../src/steps/sweep.ts';
import { engines, openFixture, until } from '../fixture/fixture.ts';
import { newOrder, pay, read } from '../fixture/orders.ts';

describe.each(engines)('places are held until the deadline, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine, { paymentGraceSeconds: 60 }));

  const times = async (path: string) =>
    (await read(fixture, path)) as unknown as { expiresAt: string | null; dueAt: string | null };

  test('an extension counts from now, is at most 60 minutes, and never shortens the hold', async () => {
    const { path, order } = await newOrder(fixture);
    const extend = (minutes: unknown) => fixture.call('POST', `${path}/extension`, { body: { minutes } });
    const before = Date.now();
    expect((await extend(30)).status).toBe(200);
    const { expiresAt } = await times(path);
    expect(Date.parse(String(expiresAt))).toBeGreaterThanOrEqual(before + 30 * 60_000);
    expect(fixture.catalog.placesOf(order.id).map((place) => place.until)).toEqual(
      Array.from({ length: 2 }, () => Date.parse(String(expiresAt))),
    );
    expect((await extend(0.5)).status).toBe(200);
    expect((await times(path)).expiresAt).toBe(expiresAt);
    for (const minutes of [0, -1, 61]) expect((await extend(minutes)).code).toBe('validation_error');
    expect((await extend('5')).code).toBe('bad_request');
  });

  test('a reservation holds the places until a date in the future', async () => {
    const { path, order } = await newOrder(fixture);
    const reserve = (dueAt: string) => fixture.call('POST', `${path}/reservation`, { body: { dueAt } });
    expect(await reserve('2020-01-01T00:00:00Z')).toMatchObject({ status: 422, code: 'validation_error' });
    const dueAt = '2099-06-01T10:00:00.000Z';
    expect(await reserve(dueAt)).toMatchObject({ status: 200, data: { state: 'reserved', dueAt } });
    expect(fixture.catalog.placesOf(order.id)[0]?.until).toBe(Date.parse(dueAt));
    expect((await reserve(dueAt)).status).toBe(412);
    expect((await fixture.confirm(path)).status).toBe(200);
  });

  test('an extension while the catalog is down is 503 and changes nothing', async () => {
    const { path } = await newOrder(fixture);
    const before = await times(path);
    fixture.catalog.mishaps.set('extendHold', 'fails');
    expect((await fixture.call('POST', `${path}/extension`, { body: { minutes: 50 } })).status).toBe(503);
    fixture.catalog.mishaps.clear();
    expect((await times(path)).expiresAt).toBe(before.expiresAt);
    expect((await fixture.call('POST', `${path}/extension`, { body: { minutes: 50 } })).status).toBe(200);
  });

  test('an order past due expires when it is read, and publishes that once', async () => {
    const { path, order } = await fixture.catalog.expiring(() => newOrder(fixture));
    await Promise.all(Array.from({ length: 8 }, () => read(fixture, path)));
    expect(await read(fixture, path)).toMatchObject({ state: 'expired', version: 2 });
    const placeIds = order.lines.map(({ place }) => place.id);
    await until(() => fixture.factsOf(order.id).length > 0);
    expect(fixture.factsOf(order.id)).toMatchObject([{ type: 'order.expired', data: { orderId: order.id, placeIds } }]);
    for (const action of ['cancellation', 'confirmation', 'extension', 'reservation'])
      expect(
        (
          await fixture.call('POST', `${path}/${action}`, {
            body: { extension: { minutes: 1 }, reservation: { dueAt: '2099-01-01T00:00:00Z' } }[action] ?? {},
          })
        ).status,
      ).toBe(412);
  });

  test('a command on an order past due writes the expiry first', async () => {
    const { path } = await fixture.catalog.expiring(() => newOrder(fixture));
    expect((await fixture.call('POST', `${path}/cancellation`, { body: {} })).status).toBe(412);
    expect((await read(fixture, path)).state).toBe('expired');
  });

  test('the sweep expires open orders at the deadline, waiting ones after the grace period', async () => {
    const [open, waiting, reserved] = [await newOrder(fixture), await newOrder(fixture), await newOrder(fixture)];
    await pay(fixture, waiting.path, { status: 'pending' });
    await fixture.call('POST', `${reserved.path}/reservation`, { body: { dueAt: '2099-01-01T00:00:00Z' } });
    const state = async ({ order }: { order: { id: string } }) => (await fixture.document(order.id))?.state;
    const later = (ms: number) => sweep({ ...fixture.context, now: () => Date.now() + ms });
    await later(900_000);
    expect([await state(open), await state(waiting), await state(reserved)]).toEqual([
      'expired',
      'payment_pending',
      'reserved',
    ]);
    await later(961_000);
    expect([await state(waiting), await state(reserved)]).toEqual(['expired', 'reserved']);
  });

  test('a service sweeps by itself', async () => {
    const sweeping = await openFixture(engine, { sweeps: true });
    const { order } = await sweeping.catalog.expiring(() => newOrder(sweeping));
    await until(async () => (await sweeping.document(order.id))?.state === 'expired');
    await sweeping.close();
  });
});
