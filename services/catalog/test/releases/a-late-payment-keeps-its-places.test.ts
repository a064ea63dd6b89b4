import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { reactTo } from '../../src/reactions.ts';
import {
  act,
  availabilityOf,
  hold,
  inMinutes,
  newShow,
  placeIdsOf,
  type RenewedHold,
  stalls,
} from '../fixture/data.ts';
import { engines, notExercised } from '../fixture/engines.ts';
import { type Started, startCatalog } from '../fixture/service.ts';
import { fact, forgetting } from './facts.ts';

const EXPIRED = 3;

describe.each(engines)(`late payments on $name${notExercised}`, (engine) => {
  let catalog: Started;
  beforeAll(async () => {
    catalog = await startCatalog(engine);
  });
  afterAll(() => catalog.close());

  /** An expired order and its late payment up to the sale, before the catalog receives the expiry. */
  const paidLate = async () => {
    const show = await newShow(catalog, stalls(4));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2, heldUntil: inMinutes(-1) });
    const requested = { requestId: 'late', heldUntil: inMinutes(5), placeIds: placeIdsOf(held), asOf: EXPIRED + 1 };
    const renewed = await act<RenewedHold>(catalog, orderId, 'renewal', requested);
    const placeIds = renewed.places.map(({ id }) => id);
    const expiry = fact(catalog.institution, 'order.expired', { orderId, placeIds }, EXPIRED);
    return { show, orderId, requested, placeIds, expiry };
  };

  /** The places of two that a late payment keeps if the expiry message arrives before and after its sale. */
  const keptOn = async (store: Store): Promise<number> => {
    const react = reactTo(store);
    const { show, orderId, placeIds, expiry } = await paidLate();
    await react(expiry, 1);
    await act(catalog, orderId, 'sale', { placeIds });
    await react(expiry, 2);
    return (await availabilityOf(catalog, show)).sold;
  };

  test('an expiry message after the renewal, or after the sale, releases nothing', async () => {
    expect(await keptOn(catalog.store)).toBe(2);
  });

  test('negative control: an expiry that ignores the version releases paid places', async () => {
    expect(await keptOn(forgetting(catalog.store, 'asOf'))).toBe(0);
  });

  test('a renewal of places that expired when sold keeps them, too', async () => {
    const show = await newShow(catalog, stalls(2));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2 });
    const placeIds = placeIdsOf(held);
    await act(catalog, orderId, 'sale', { placeIds: placeIds.slice(0, 1) });
    await act(catalog, orderId, 'renewal', { requestId: 'late', heldUntil: inMinutes(5), placeIds, asOf: EXPIRED + 1 });
    await reactTo(catalog.store)(fact(catalog.institution, 'order.expired', { orderId }, EXPIRED), 1);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 2, free: 0, held: 1, sold: 1 });
  });

  test('a later expiry ends the renewed hold, and so does a cancellation', async () => {
    const react = reactTo(catalog.store);
    const first = await paidLate();
    await react(fact(catalog.institution, 'order.expired', { orderId: first.orderId }, EXPIRED + 2), 1);
    expect((await availabilityOf(catalog, first.show)).free).toBe(4);
    const second = await paidLate();
    await react(fact(catalog.institution, 'order.cancelled', second, 1), 1);
    expect((await availabilityOf(catalog, second.show)).free).toBe(4);
  });

  test('a renewal that comes after its order was sold and cancelled holds nothing, and frees no kept place', async () => {
    const react = reactTo(catalog.store);
    for (const kept of [0, 1]) {
      const { show, orderId, requested, placeIds } = await paidLate();
      await act(catalog, orderId, 'sale', { placeIds });
      const keptPlaceIds = placeIds.slice(0, kept);
      await react(fact(catalog.institution, 'tickets.cancelled', { orderId, placeIds, keptPlaceIds }, EXPIRED + 3), 1);
      const late = await act<RenewedHold>(catalog, orderId, 'renewal', requested);
      expect(late).toEqual({ outcome: 'refused', places: [], missing: placeIds });
      expect(await availabilityOf(catalog, show)).toMatchObject({ free: 4 - kept, held: 0, sold: kept });
    }
  });

  test('a refused renewal leaves the places to the expiry', async () => {
    const show = await newShow(catalog, stalls(3, [3]));
    const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2, heldUntil: inMinutes(-1) });
    const placeIds = placeIdsOf(held);
    const [mine = '', lost = ''] = placeIds;
    await act(catalog, orderId, 'sale', { placeIds: [mine] });
    await hold(catalog, show, { placeIds: [lost] });
    const requested = { requestId: 'late', heldUntil: inMinutes(5), placeIds, asOf: EXPIRED + 1 };
    expect(await act<RenewedHold>(catalog, orderId, 'renewal', requested)).toMatchObject({ missing: [lost] });
    await reactTo(catalog.store)(fact(catalog.institution, 'order.expired', { orderId }, EXPIRED), 1);
    expect(await availabilityOf(catalog, show)).toEqual({ capacity: 3, free: 2, held: 1, sold: 0 });
  });

  test('a cancelled performance or product refuses a renewal; a repeat after the sale returns the first answer', async () => {
    const bought = await paidLate();
    await act(catalog, bought.orderId, 'sale', { placeIds: bought.placeIds });
    const tooLate = await paidLate();
    const ofProduct = await paidLate();
    const cancel = (path: string) => catalog.call('PATCH', `/svc/v3/catalog/${path}`, { body: { state: 'cancelled' } });
    for (const { show } of [bought, tooLate]) await cancel(`performances/${show.performance.id}`);
    await cancel(`products/${ofProduct.show.product.id}`);
    const again = ({ orderId, requested }: typeof bought) => act<RenewedHold>(catalog, orderId, 'renewal', requested);
    expect((await again(bought)).outcome).toBe('done');
    for (const refused of [tooLate, ofProduct]) {
      expect(await again(refused)).toEqual({ outcome: 'refused', places: [], missing: refused.placeIds });
    }
  });
});
