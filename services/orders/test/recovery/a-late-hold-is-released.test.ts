import { Fault } from '@boxoffice/envelope';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Desk } from '../../src/context.ts';
import { createOrder } from '../../src/orders/create.ts';
import { engines } from '../fixture/engines.ts';
import { openStand, type Stand, until } from '../fixture/fixture.ts';

describe.each(engines)('the catalog holds places when nobody waits for its answer any more, on $name', (engine) => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await openStand(engine);
  });
  afterAll(() => stand.close());

  test('recovery gives them back, and nothing is left of the order', async () => {
    const hall = stand.catalog.hall(2);
    const late = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const { stock } = stand.desk;
    const desk: Desk = {
      ...stand.desk,
      stock: {
        ...stock,
        hold: async (...args) => {
          void released.promise.then(() => stock.hold(...args)).then(() => late.resolve());
          throw new Fault('service_unavailable', 'too late');
        },
        release: async (...args) => {
          const answer = await stock.release(...args);
          released.resolve();
          return answer;
        },
      },
    };
    const holder = { institution: 'opera', client: 'partner' };
    const wish = { items: [hall.item(2)] } as never;
    await expect(createOrder(desk, holder, wish, undefined)).rejects.toMatchObject({ code: 'service_unavailable' });
    await late.promise;
    expect(stand.catalog.count(hall).held).toBe(2);
    await stand.later();
    await until(() => stand.catalog.count(hall).free === 2);
    expect(await stand.desk.orders.of('opera').count({ performanceId: hall.performanceId })).toBe(0);
  });
});
