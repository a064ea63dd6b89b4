import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { engines, openFixture } from '../fixture/fixture.ts';
import { createOrderInHall, listPayments, pay, read } from '../fixture/orders.ts';

const soon = () => new Date(Date.now() + 60_000).toISOString();

describe.each(engines)('what shortens a hold shortens it in the stock, on $name', (engine) => {
  const fixture = useFixture(() => openFixture(engine, { paymentGraceSeconds: 600 }));
  const endsOf = (orderId: string) => fixture.catalog.placesOf(orderId).map((place) => place.until);
  const reserve = (path: string, dueAt: string, more = {}) =>
    fixture.call('POST', `${path}/reservation`, { body: { dueAt }, ...more });
  const instantOf = (instant: unknown) => Date.parse(String(instant));

  test('a reservation that is due before the hold would end: the places are free at `dueAt`', async () => {
    const { path, order } = await createOrderInHall(fixture);
    const dueAt = soon();
    expect(await reserve(path, dueAt)).toMatchObject({ status: 200, data: { dueAt, expiresAt: dueAt } });
    expect(endsOf(order.id)).toEqual([instantOf(dueAt), instantOf(dueAt)]);
  });

  test('a repeat has the first answer, whose ETag fits the next write', async () => {
    const { path } = await createOrderInHall(fixture);
    const dueAt = soon();
    const more = { key: `sooner-${path}` };
    const first = await reserve(path, dueAt, more);
    const again = await reserve(path, dueAt, more);
    expect([again.status, again.text]).toEqual([200, first.text]);
    const next = { body: { minutes: 30 }, ifMatch: first.headers.get('etag') ?? '' };
    expect((await fixture.call('POST', `${path}/extension`, next)).status).toBe(200);
  });

  test('a failed payment that gives the order back the end that it had before', async () => {
    const { path, order } = await createOrderInHall(fixture);
    const { expiresAt } = await read(fixture, path);
    const { data } = await pay(fixture, path, { status: 'pending' });
    expect(endsOf(order.id)[0]).toBe(instantOf(expiresAt) + 600_000);
    await fixture.call('PATCH', `${path}/payments/${data.id}`, { body: { status: 'failed' } });
    expect(await read(fixture, path)).toMatchObject({ state: 'open', expiresAt });
    expect(endsOf(order.id)).toEqual([instantOf(expiresAt), instantOf(expiresAt)]);
    expect(await listPayments(fixture, path)).toHaveLength(1);
  });

  test('while the catalog cannot shorten, the order does, and the stock follows later', async () => {
    const { path, order } = await createOrderInHall(fixture);
    const dueAt = soon();
    fixture.catalog.mishaps.set('shortenHold', 'fails');
    expect((await reserve(path, dueAt)).status).toBe(200);
    expect(endsOf(order.id)[0]).toBeGreaterThan(instantOf(dueAt));
    fixture.catalog.mishaps.clear();
    await fixture.later();
    expect(endsOf(order.id)).toEqual([instantOf(dueAt), instantOf(dueAt)]);
    expect((await fixture.document(order.id))?.shorteningDue).toBe(null);
  });

  test('an extension after it is longer, also if the catalog is asked to shorten only then', async () => {
    const { path, order } = await createOrderInHall(fixture);
    fixture.catalog.mishaps.set('shortenHold', 'fails');
    expect((await reserve(path, soon())).status).toBe(200);
    fixture.catalog.mishaps.clear();
    const { data } = await fixture.call('POST', `${path}/extension`, { body: { minutes: 40 } });
    await fixture.later();
    expect(endsOf(order.id)).toEqual([instantOf(data.expiresAt), instantOf(data.expiresAt)]);
  });

  test('lines that are added to it are held no longer than the order', async () => {
    const { path, order, hall } = await createOrderInHall(fixture);
    const dueAt = soon();
    await reserve(path, dueAt);
    const body = { items: [hall.item(1)] };
    expect((await fixture.call('POST', `${path}/lines`, { body })).status).toBe(201);
    expect(new Set(endsOf(order.id))).toEqual(new Set([instantOf(dueAt)]));
  });
});
