import { expect, test } from '@jest/globals';
import type { Hall } from '../fixture/catalog.ts';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { copyOrder, newOrder } from '../fixture/orders.ts';
import {
  add,
  checkout,
  done,
  newCart,
  newCartId,
  newContact,
  read,
  type ShopOrder,
  shopPost,
} from '../fixture/shopper.ts';

interface Page {
  readonly orders: readonly { readonly id: string; readonly pointOfSale: string; readonly contactNumber: string }[];
  readonly next: string | null;
}

describeOnEachEngine('the orders of a performance', (fixture) => {
  const all = async ({ performanceId }: Hall) => {
    const found: Page['orders'][number][] = [];
    for (let after = ''; ; ) {
      const query = after === '' ? '' : `?after=${encodeURIComponent(after)}`;
      const { data } = await fixture.shop<Page>('GET', `/internal/shop/performances/${performanceId}/orders${query}`);
      found.push(...data.orders);
      if (data.next === null) return found;
      after = data.next;
    }
  };
  const buy = async (hall: Hall, ...others: readonly Hall[]): Promise<ShopOrder> => {
    const { id } = done(
      await add(
        fixture,
        newCartId(),
        [hall, ...others].map((one) => one.item(1)),
      ),
    );
    return done(await checkout(fixture, `/${id}`, { contactNumber: newContact(fixture) }));
  };

  test('are the sold ones of shoppers, each once, also those that began with another performance', async () => {
    const [hall, other] = [fixture.catalog.hall(10), fixture.catalog.hall(10)];
    const [first, second, third] = [await buy(hall), await buy(hall, other), await buy(other, hall)];
    await buy(other);
    await newCart(fixture, 1, hall);
    const cancelled = await buy(hall);
    await shopPost(fixture, `/${cancelled.id}/cancellation`, { requestId: 'once' });
    // A partner writes to the buyers of its own orders.
    const { data } = await fixture.call('POST', '', {
      body: { items: [hall.item(1)], pointOfSale: 'tickets.opera.example' },
    });
    expect((await fixture.confirm(`/${data.id}`)).data.state).toBe('confirmed');
    const found = await all(hall);
    expect(found).toHaveLength(3);
    expect(found).toEqual(
      expect.arrayContaining(
        [first, second, third].map(({ id, contactNumber }) => ({
          id,
          contactNumber,
          pointOfSale: 'tickets.opera.example',
        })),
      ),
    );
  });

  test('follow over several pages', async () => {
    const hall = fixture.catalog.hall(1);
    const { id: first } = await buy(hall);
    const ids = [first, ...(await copyOrder(fixture, first, 204))];
    expect((await all(hall)).map(({ id }) => id).sort()).toEqual(ids.sort());
  });

  test('an order says whether it was cancelled with a performance', async () => {
    const hall = fixture.catalog.hall(10);
    const [lost, unwanted] = [await buy(hall), await buy(hall)];
    await shopPost(fixture, `/${unwanted.id}/cancellation`, { requestId: 'once' });
    await fixture.deliver('performance.cancelled', { performanceId: hall.performanceId });
    expect(await read(fixture, `/${lost.id}`)).toMatchObject({ state: 'cancelled', performanceCancelled: true });
    expect(await read(fixture, `/${unwanted.id}`)).not.toHaveProperty('performanceCancelled');
    expect((await newOrder(fixture)).order).not.toHaveProperty('performanceCancelled');
  });
});
