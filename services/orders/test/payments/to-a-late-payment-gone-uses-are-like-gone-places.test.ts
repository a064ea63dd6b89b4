// rule commerce.4: To a late payment, gone uses are like gone places | services/orders/src/saga/sell.ts
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { createCodeDiscount } from '../fixture/discounts.ts';
import { describeOnEachEngine } from '../fixture/fixture.ts';

describeOnEachEngine('a late payment', (fixture) => {
  /** An expired order of two places with a code of three uses, one of which another order has bought meanwhile. */
  const expire = async (bought: number) => {
    const institution = `i${randomUUID()}`;
    fixture.catalog.price(institution, { discounts: [createCodeDiscount('EARLY', { amount: 300 })] });
    const [hall, uses] = [fixture.catalog.hall(9, { institution }), fixture.catalog.limit('cod_EARLY', 3)];
    const order = (places: number, more: object = {}) =>
      fixture.call('POST', '', { institution, body: { items: [hall.item(places)], codes: ['EARLY'], ...more } });
    const { data } = await fixture.catalog.expiring(() => order(2));
    const read = async () => (await fixture.call('GET', `/${data.id}`, { institution })).data;
    expect((await read()).state).toBe('expired');
    const payment = { method: 'card', amount: bought * 700 };
    if (bought > 0) expect((await order(bought, { payment })).status).toBe(201);
    const send = (what: string, body: object) => fixture.call('POST', `/${data.id}/${what}`, { institution, body });
    const pay = () => send('payments', { method: 'card', amount: 1_400, status: 'captured' });
    return { hall, uses, read, pay, send };
  };

  test('has the uses that are free, other ones where its own are gone', async () => {
    const { hall, uses, read, pay } = await expire(1);
    expect((await pay()).status).toBe(201);
    expect(await read()).toMatchObject({ state: 'confirmed', total: 1_400, paid: 1_400 });
    expect([fixture.catalog.count(uses), fixture.catalog.count(hall)]).toEqual([
      { free: 0, held: 0, sold: 3 },
      { free: 6, held: 0, sold: 3 },
    ]);
  });

  test('is credit and can be refunded where a use is gone, although its places are free; it takes no use', async () => {
    const { hall, uses, read, pay, send } = await expire(2);
    expect(await pay()).toMatchObject({ status: 412, code: 'payment_recorded' });
    expect(await read()).toMatchObject({ state: 'expired', paid: 1_400, credit: 1_400 });
    expect([fixture.catalog.count(uses), fixture.catalog.count(hall)]).toEqual([
      { free: 1, held: 0, sold: 2 },
      { free: 7, held: 0, sold: 2 },
    ]);
    expect((await send('refunds', { method: 'card', amount: 1_400 })).status).toBe(201);
    expect(await read()).toMatchObject({ state: 'expired', refunded: 1_400, credit: 0 });
  });
});
