import { startSweeper } from '@boxoffice/service';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { pos } from '../../src/app.ts';
import { linkEndOf } from '../../src/domain/offer.ts';
import { orderLinks } from '../../src/store.ts';
import { openFixture } from '../fixture/fixture.ts';
import { linksOf } from '../fixture/links.ts';
import { PAID } from '../fixture/shopper.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
const at = (text: string): number => Date.parse(text);

describe('the end of a link', () => {
  const performance = {
    id: 'prf',
    startDate: '2031-05-01T18:30:00.000Z',
    durationMinutes: 120,
    state: 'on_sale' as const,
    salesFrom: null,
    salesTo: null,
  };
  const show = { performance, product: { type: 'show', endDate: null } };
  const soldAt = at('2031-01-01T00:00:00.000Z');

  test('is 30 days after the last performance of the order, cancelled or not, as it is dated now', () => {
    const later = { ...performance, state: 'cancelled' as const, startDate: '2031-06-01T18:30:00.000Z' };
    const sold = [show, { ...show, performance: later }].map((current) => ({
      current,
      startDate: '2031-02-01T00:00:00.000Z',
    }));
    expect(linkEndOf(sold, soldAt)).toBe(at('2031-07-01T20:30:00.000Z'));
  });

  test('of a pass follows its period; without any end it is that of a year after the sale', () => {
    const pass = (endDate: string | null) => [
      {
        current: { performance: { ...performance, durationMinutes: null }, product: { type: 'pass', endDate } },
        startDate: performance.startDate,
      },
    ];
    expect(linkEndOf(pass('2032-01-01T00:00:00.000Z'), soldAt)).toBe(at('2032-01-31T00:00:00.000Z'));
    expect(linkEndOf(pass(null), soldAt)).toBe(soldAt + 396 * DAY_MS);
  });

  test('of what is published no more is that of the last known start, or as it was before', () => {
    const sold = [{ current: undefined, startDate: performance.startDate }];
    expect(linkEndOf(sold, soldAt)).toBe(at(performance.startDate) + 30 * DAY_MS);
    const known = at('2031-12-01T00:00:00.000Z');
    expect(linkEndOf(sold, soldAt, known)).toBe(known);
    expect(linkEndOf([{ current: show, startDate: performance.startDate }], soldAt, known)).toBeLessThan(known);
  });

  test('of an order without places is 30 days after it', () => {
    expect(linkEndOf([], soldAt)).toBe(soldAt + 30 * DAY_MS);
  });
});

describe('a link', () => {
  const fixture = useFixture(() => openFixture());
  const { buy, read, tokenOf } = linksOf(fixture);

  /** A bought order whose performance can be moved. */
  const bought = async () => {
    const { product, performanceId, seatCategoryId } = fixture.catalog.show();
    const order = await buy(1, PAID, { performanceId, seatCategoryId });
    const move = (startDate: string) => {
      Object.assign(product.performances[0] ?? {}, { startDate });
      Object.assign(fixture.orders.orders.get(order.id) ?? {}, { createdAt: '2020-01-01T00:00:00.000Z' });
      fixture.catalog.show();
    };
    return { ...order, move };
  };
  const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
  const linksTo = async (id: string) =>
    (await fixture.store.collection(orderLinks).of('opera').find()).filter(({ orderId }) => orderId === id);

  test('ends with the dates of now, at the access, and lives again when the performance moves', async () => {
    const order = await bought();
    const link = await tokenOf(order);
    order.move(daysAgo(31));
    expect((await read(link)).text).toBe((await read()).text);
    order.move(daysAgo(29));
    expect((await read(link)).status).toBe(200);
  });

  test('is deleted after its end, unless its performance has moved meanwhile', async () => {
    const [ended, moved] = [await bought(), await bought()];
    for (const { move } of [ended, moved]) move(daysAgo(29));
    const [gone, stays] = [await tokenOf(ended), await tokenOf(moved)];
    moved.move(daysAgo(-200));
    const sweeper = startSweeper({
      store: fixture.store,
      collections: [orderLinks],
      retention: pos.retention?.({ sessionIdleSeconds: 1_800 } as never, fixture.context) ?? {},
      logger: { warn: (message) => expect(message).toBeUndefined() },
      now: () => Date.now() + 2 * DAY_MS,
    });
    await sweeper.sweep();
    await sweeper.close();
    expect([await linksTo(ended.id), (await linksTo(moved.id)).length]).toEqual([[], 1]);
    expect((await read(gone)).status).toBe(404);
    expect((await read(stays)).status).toBe(200);
  });
});
