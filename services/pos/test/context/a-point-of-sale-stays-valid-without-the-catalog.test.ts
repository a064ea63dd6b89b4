import { ServiceRefusal } from '@boxoffice/service';
import type { Mishap } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { createContext } from '../../src/request/visit.ts';
import { openFixture, until } from '../fixture/fixture.ts';
import { asGuest, PAID, shopperOf } from '../fixture/shopper.ts';

describe('while the catalog is unavailable', () => {
  test.concurrent.each<[Mishap]>([['dies first'], ['hangs first']])(
    '(%s) sessions, carts, orders and tickets work',
    async (mishap) => {
      const fixture = await openFixture();
      const shopper = shopperOf(fixture);
      const user = await fixture.user();
      const { token } = await shopper.fill(await fixture.logIn(user));
      fixture.catalog.mishaps.set('*', mishap);
      const visit = async () => {
        for (const path of ['/sessions/current', '/shopping-cart', '/orders', '/tickets'])
          expect([path, (await fixture.call('GET', path, { token })).status]).toEqual([path, 200]);
      };
      // Longer than the maximum age of any cache.
      const longer = Date.now() + 3_200;
      await visit();
      await until(() => Date.now() > longer);
      await visit();
      const bought = await shopper.buy(token, asGuest(PAID));
      expect([bought.status, bought.data.state]).toEqual([201, 'confirmed']);
      expect((await fixture.call('GET', '/products')).status).toBe(500);
      const { serviceHost } = fixture.catalog.pointOfSale();
      expect((await fixture.call('GET', '/shopping-cart', { host: serviceHost })).status).toBe(500);
      fixture.catalog.mishaps.clear();
      fixture.catalog.revive();
      await until(async () => (await fixture.call('GET', '/products')).status === 200);
      await fixture.close();
    },
  );
});

describe('the last answer of the catalog', () => {
  const unreachable = new Error('planted');
  const setUp = () => {
    let clock = 1_000_000;
    let failure: Error | undefined;
    let exists = true;
    let hangs = false;
    const find = createContext(
      {
        pointOfSale: async (serviceHost) => {
          if (hangs) await new Promise(() => undefined);
          if (failure) throw failure;
          return exists ? ({ serviceHost } as never) : undefined;
        },
      },
      () => clock,
    );
    return {
      find: async () => (await find('shop.example')).serviceHost,
      isReturnedAtOnce: () => !('then' in find('shop.example')),
      pass: (ms: number) => {
        clock += ms;
      },
      remove: () => {
        exists = false;
      },
      fail: (error?: Error) => {
        failure = error;
      },
      hang: () => {
        hangs = true;
      },
    };
  };

  test('is valid for ten minutes and no longer', async () => {
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

  test('is returned at once after one failed load: later calls do not wait for a catalog that hangs', async () => {
    const { find, isReturnedAtOnce, pass, fail, hang } = setUp();
    await find();
    pass(3_000);
    expect(isReturnedAtOnce()).toBe(false);
    await find();
    pass(3_000);
    fail(unreachable);
    await find();
    hang();
    for (let count = 0; count < 5; count += 1) {
      pass(3_000);
      expect(isReturnedAtOnce()).toBe(true);
    }
  });

  test('is not returned after a newer one: a deleted point of sale stays refused during the next outage', async () => {
    const { find, pass, fail, remove } = setUp();
    expect(await find()).toBe('shop.example');
    pass(3_000);
    remove();
    await expect(find()).rejects.toMatchObject({ errorCode: 'context_invalid' });
    fail(unreachable);
    pass(300_000);
    await expect(find()).rejects.toMatchObject({ errorCode: 'context_invalid' });
  });

  test('is not returned if the catalog refuses the call', async () => {
    const { find, pass, fail } = setUp();
    expect(await find()).toBe('shop.example');
    pass(3_000);
    const refusal = new ServiceRefusal('catalog', 403, 'forbidden', null);
    fail(refusal);
    await expect(find()).rejects.toBe(refusal);
  });
});
