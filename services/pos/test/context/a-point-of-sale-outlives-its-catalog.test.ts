import { ServiceRefusal } from '@boxoffice/service';
import type { Mishap } from '@boxoffice/service/testkit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createContext } from '../../src/request/point-of-sale.ts';
import { asGuest, shopperOf } from '../checkout/shopper.ts';
import { type Fixture, openFixture, until } from '../fixture/fixture.ts';

describe('while the catalog cannot be reached', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await openFixture();
  });
  afterAll(() => fixture.close());

  test.each<[Mishap]>([['dies first'], ['hangs first']])(
    '(it %s) sessions, carts, orders and tickets go on',
    async (mishap) => {
      const shopper = shopperOf(fixture);
      const user = await fixture.user();
      const { token } = await shopper.fill(await fixture.logIn(user));
      fixture.catalog.mishaps.set('*', mishap);
      // Longer than the maximum age of any cache.
      const longer = Date.now() + 3_200;
      while (Date.now() < longer)
        for (const path of ['/sessions/current', '/shopping-cart', '/orders', '/tickets'])
          expect([path, (await fixture.call('GET', path, { token })).status]).toEqual([path, 200]);
      const bought = await shopper.buy(token, asGuest({ paymentMethod: 'simulated', paymentToken: 'ok' }));
      expect([bought.status, bought.data.state]).toEqual([201, 'confirmed']);
      expect((await fixture.call('GET', '/products')).status).toBe(500);
      const { serviceHost } = fixture.catalog.pointOfSale();
      expect((await fixture.call('GET', '/shopping-cart', { host: serviceHost })).status).toBe(500);
      fixture.catalog.mishaps.clear();
      fixture.catalog.revive();
      await until(async () => (await fixture.call('GET', '/products')).status === 200);
    },
    60_000,
  );
});

describe('what the catalog said last', () => {
  const unreachable = new Error('planted');
  const setUp = () => {
    let clock = 1_000_000;
    let failure: Error | undefined;
    let isThere = true;
    let hangs = false;
    const find = createContext(
      {
        pointOfSale: async (serviceHost) => {
          if (hangs) await new Promise(() => undefined);
          if (failure) throw failure;
          return isThere ? ({ serviceHost } as never) : undefined;
        },
      },
      () => clock,
    );
    return {
      find: async () => (await find('shop.example')).serviceHost,
      isThereAtOnce: () => !('then' in find('shop.example')),
      pass: (ms: number) => {
        clock += ms;
      },
      remove: () => {
        isThere = false;
      },
      fail: (error?: Error) => {
        failure = error;
      },
      hang: () => {
        hangs = true;
      },
    };
  };

  test('holds for ten minutes, and not longer', async () => {
    const { find, pass, fail } = setUp();
    expect(await find()).toBe('shop.example');
    fail(unreachable);
    for (let minute = 0; minute < 10; minute += 1) {
      expect(await find()).toBe('shop.example');
      pass(60_000);
    }
    pass(1);
    await expect(find()).rejects.toBe(unreachable);
    fail();
    expect(await find()).toBe('shop.example');
  });

  test('is given at once after one has asked in vain: nobody else waits for a catalog that hangs', async () => {
    const { find, isThereAtOnce, pass, fail, hang } = setUp();
    await find();
    pass(3_000);
    expect(isThereAtOnce()).toBe(false);
    await find();
    pass(3_000);
    fail(unreachable);
    await find();
    hang();
    for (let count = 0; count < 5; count += 1) {
      pass(3_000);
      expect(isThereAtOnce()).toBe(true);
    }
  });

  test('is not given once the catalog answers otherwise: one that was deleted is refused, also while it is away again', async () => {
    const { find, pass, fail, remove } = setUp();
    expect(await find()).toBe('shop.example');
    pass(3_000);
    remove();
    await expect(find()).rejects.toMatchObject({ errorCode: 'context_invalid' });
    fail(unreachable);
    pass(300_000);
    await expect(find()).rejects.toMatchObject({ errorCode: 'context_invalid' });
  });

  test('is not given when the catalog refuses the question', async () => {
    const { find, pass, fail } = setUp();
    expect(await find()).toBe('shop.example');
    pass(3_000);
    const refusal = new ServiceRefusal('catalog', 403, 'forbidden', null);
    fail(refusal);
    await expect(find()).rejects.toBe(refusal);
  });
});
