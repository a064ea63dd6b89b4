import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { isOver } from '../../src/domain/offer.ts';
import { openFixture } from '../fixture/fixture.ts';
import { asGuest, PAID, shopperOf } from '../fixture/shopper.ts';

const fixture = useFixture(() => openFixture());

const PAST = '2024-05-01T18:30:00.000Z';

test('a performance is over at its end, without one at its start; a period with its product', () => {
  const performance = { id: 'prf_1', startDate: PAST, state: 'on_sale', salesFrom: null, salesTo: null } as const;
  const at = (minutes: number) => Date.parse(PAST) + minutes * 60_000;
  const show = { type: 'show', endDate: null };
  expect([59, 60].map((minute) => isOver({ ...performance, durationMinutes: 60 }, show, at(minute)))).toEqual([
    false,
    true,
  ]);
  expect([-1, 0].map((minute) => isOver({ ...performance, durationMinutes: null }, show, at(minute)))).toEqual([
    false,
    true,
  ]);
  const pass = { type: 'pass', endDate: new Date(at(90)).toISOString() };
  expect([89, 90].map((minute) => isOver({ ...performance, durationMinutes: 1 }, pass, at(minute)))).toEqual([
    false,
    true,
  ]);
  expect(isOver({ ...performance, durationMinutes: null }, { type: 'pass', endDate: null }, at(1e6))).toBe(false);
});

test('it is not on sale, and neither cart nor checkout takes it', async () => {
  const { product, performanceId, seatCategoryId } = fixture.catalog.show();
  const body = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const { token } = await fixture.call('POST', '/shopping-cart/items', { body });
  const [performance] = product.performances;
  Object.assign(performance ?? {}, { startDate: PAST, durationMinutes: null });
  fixture.catalog.show();
  const bought = await shopperOf(fixture).buy(String(token), asGuest(PAID));
  expect([bought.status, bought.code]).toEqual([400, 'cart_not_on_sale']);
  const added = await fixture.call('POST', '/shopping-cart/items', { body });
  expect([added.status, added.code]).toEqual([400, 'cart_not_on_sale']);
  const over = fixture.catalog.show({ startDate: PAST }).product;
  Object.assign(over.performances[0] ?? {}, { durationMinutes: null });
  const shown = await fixture.call<{ onSale: boolean; performances: object[] }>('GET', `/products/${over.id}`);
  expect(shown.data).toMatchObject({ onSale: false, performances: [{ onSale: false }] });
});
