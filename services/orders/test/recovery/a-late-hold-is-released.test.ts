import { Fault } from '@boxoffice/envelope';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Held } from '../../src/clients/stock.ts';
import type { OrdersContext } from '../../src/context.ts';
import { createOrder } from '../../src/orders/create.ts';
import { engines } from '../fixture/engines.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';

describe.each(engines)('a hold that the catalog executes after the timeout is released, on $name', (engine) => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture(engine);
  });
  afterAll(() => fixture.close());

  test('recovery releases the places and deletes the draft', async () => {
    const hall = fixture.catalog.hall(2);
    const late = Promise.withResolvers<Held>();
    const released = Promise.withResolvers<void>();
    const { stock } = fixture.context;
    const context: OrdersContext = {
      ...fixture.context,
      stock: {
        ...stock,
        hold: async (...args) => {
          void released.promise.then(() => stock.hold(...args)).then(late.resolve, late.reject);
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
    const requested = { items: [hall.item(2)] } as never;
    await expect(createOrder(context, holder, requested, undefined)).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    // Recovery may have released them already: what was held is in the answer, not in what is held now.
    expect((await late.promise).lines).toHaveLength(2);
    await fixture.later();
    await until(() => fixture.catalog.count(hall).free === 2);
    const drafts = () => fixture.context.orders.of('opera').count({ performanceId: hall.performanceId });
    await until(async () => (await drafts()) === 0);
  });
});
