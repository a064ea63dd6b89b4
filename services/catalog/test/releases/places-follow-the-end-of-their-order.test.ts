import { setTimeout as pause } from 'node:timers/promises';
import { createInProcessBus, requireQueue, startRelay, Unreadable } from '@boxoffice/messaging';
import type { Store } from '@boxoffice/store';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { reactTo, releaseAll, releasePlaces } from '../../src/reactions.ts';
import { openCollections } from '../../src/store.ts';
import {
  act,
  addMinutesToNow,
  createShow,
  createStalls,
  describeOnEachEngine,
  getHeldPlaceIds,
  hold,
  type RenewedHold,
  readAvailability,
} from '../fixture/service.ts';
import { createFact, createForgetfulStore, type FactData, type FactType, listPublishedFacts } from './facts.ts';

describeOnEachEngine('releases', (catalog) => {
  let react: ReturnType<typeof reactTo>;
  beforeAll(() => {
    react = reactTo(catalog.store);
  });

  describe('the end of orders', () => {
    const tell = <Type extends FactType>(type: Type, data: FactData<Type>) =>
      react(createFact(catalog.institution, type, data), 1);

    test('cancelled without tickets: all places of the order become free, held or sold, named or not', async () => {
      const show = await createShow(catalog, createStalls(5));
      const first = await hold(catalog, show, { quantity: 2 });
      const { holder: orderId } = first;
      const placeIds = getHeldPlaceIds(first);
      await act(catalog, orderId, 'sale', { placeIds: placeIds.slice(0, 1) });
      await hold(catalog, show, { holder: orderId, requestId: 'more', quantity: 2 });
      await tell('order.cancelled', { orderId, placeIds });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 5, free: 5, held: 0, sold: 0 });
      expect(await listPublishedFacts(catalog.store, orderId)).toEqual([
        { type: 'places.released', orderId, cause: 'order.cancelled', placeIds, placesReleased: 2 },
      ]);
    });

    test('cancelled with tickets: no place changes until tickets publishes its fact', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2 });
      const placeIds = getHeldPlaceIds(held);
      await act(catalog, orderId, 'sale', { placeIds });
      await tell('order.cancelled', { orderId, placeIds, hadTickets: true });
      expect((await readAvailability(catalog, show)).sold).toBe(2);
      expect(await listPublishedFacts(catalog.store, orderId)).toEqual([]);
    });

    test('cancelled tickets: their places become free, the place of a controlled ticket does not, held places do', async () => {
      const show = await createShow(catalog, createStalls(6));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 3 });
      const [one = '', two = '', kept = ''] = getHeldPlaceIds(held);
      await act(catalog, orderId, 'sale', { placeIds: [one, two, kept] });
      await hold(catalog, show, { holder: orderId, requestId: 'leftover', quantity: 1 });
      await tell('tickets.cancelled', { orderId, placeIds: [one, two], keptPlaceIds: [kept], controlled: 1 });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 6, free: 5, held: 0, sold: 1 });
      expect(await listPublishedFacts(catalog.store, orderId)).toEqual([
        { type: 'places.released', orderId, cause: 'tickets.cancelled', placeIds: [one, two], placesReleased: 2 },
      ]);
    });

    test('tickets that are cancelled later free their places, too, and a repeat of the first fact changes nothing', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2 });
      const placeIds = getHeldPlaceIds(held);
      const [one = '', kept = ''] = placeIds;
      await act(catalog, orderId, 'sale', { placeIds });
      const first = { orderId, placeIds: [one], keptPlaceIds: [kept], controlled: 1 };
      for (const fact of [first, first, { orderId, placeIds }, first]) await tell('tickets.cancelled', fact);
      expect((await readAvailability(catalog, show)).free).toBe(2);
      const published = await listPublishedFacts(catalog.store, orderId);
      expect(published).toMatchObject([{ placesReleased: 1 }, { placesReleased: 2 }]);
    });

    test('expired: held and sold places become free, and nothing is published', async () => {
      const show = await createShow(catalog, createStalls(4));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 3 });
      const [sold = ''] = getHeldPlaceIds(held);
      await act(catalog, orderId, 'sale', { placeIds: [sold] });
      await tell('order.expired', { orderId, placeIds: getHeldPlaceIds(held) });
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 4, free: 4, held: 0, sold: 0 });
      expect(await listPublishedFacts(catalog.store, orderId)).toEqual([]);
    });

    test('expired places that others took count as released and stay with the others', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      const placeIds = getHeldPlaceIds(held);
      await hold(catalog, show, { placeIds: placeIds.slice(0, 1) });
      await tell('order.cancelled', { orderId, placeIds });
      expect(await listPublishedFacts(catalog.store, orderId)).toMatchObject([{ placesReleased: 2 }]);
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 2, free: 1, held: 1, sold: 0 });
    });

    test('an order of another institution with the same id is unchanged', async () => {
      const show = await createShow(catalog, createStalls(1));
      const { holder: orderId, ...held } = await hold(catalog, show);
      const placeIds = getHeldPlaceIds(held);
      for (const type of ['order.cancelled', 'order.expired', 'tickets.cancelled'] as const) {
        await react(createFact('elsewhere', type, { orderId: `${orderId}`, placeIds }), 1);
      }
      expect((await readAvailability(catalog, show)).held).toBe(1);
    });

    test('a malformed fact becomes a dead letter at once', async () => {
      for (const data of [{ orderId: 7 }, { placeIds: 'all' }, { hadTickets: undefined }]) {
        await expect(tell('order.cancelled', data)).rejects.toBeInstanceOf(Unreadable);
      }
      await expect(tell('tickets.cancelled', { keptPlaceIds: null })).rejects.toBeInstanceOf(Unreadable);
    });

    test('a fact of an unknown type, too, also one named like what every object inherits', async () => {
      for (const type of ['order.praised', 'constructor', 'toString', '__proto__']) {
        const unknown = { ...createFact(catalog.institution, 'order.expired', {}), type };
        await expect(react(unknown, 1)).rejects.toBeInstanceOf(Unreadable);
      }
    });

    test('the catalog feed and its ETag do not depend on stock; the list of places does', async () => {
      const show = await createShow(catalog, createStalls(3));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2 });
      const etag = async () => (await catalog.call('GET', '/svc/v3/catalog')).headers.get('etag');
      const listed = async (state: string) => {
        const path = `/svc/v3/catalog/performances/${show.performance.id}/places?state=${state}`;
        return (await catalog.call<{ items: { state: string }[] }>('GET', path)).data.items.map((place) => place.state);
      };
      const before = await etag();
      expect(await listed('held')).toEqual(['held', 'held']);
      await tell('order.expired', { orderId, placeIds: getHeldPlaceIds(held) });
      expect(await listed('free')).toEqual(['free', 'free', 'free']);
      expect(await listed('held')).toEqual([]);
      expect(await etag()).toBe(before);
    });
  });

  describe('published releases', () => {
    const quiet = { info: () => {}, warn: () => {}, error: () => {} };
    const noLetters = {
      add: async () => {},
      list: async () => [],
      get: async () => undefined,
      remove: async () => false,
    };

    /** A sold order of three places, and what tickets says about it: one stays controlled. */
    const soldOrder = async () => {
      const show = await createShow(catalog, createStalls(4));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 3 });
      const all = getHeldPlaceIds(held);
      await act(catalog, orderId, 'sale', { placeIds: all });
      const [kept = '', ...placeIds] = all;
      return { show, orderId, all, placeIds, keptPlaceIds: [kept] };
    };

    test('a message that arrives twice, also concurrently, is published once', async () => {
      const { show, orderId, placeIds, keptPlaceIds } = await soldOrder();
      const message = createFact(catalog.institution, 'tickets.cancelled', { orderId, placeIds, keptPlaceIds });
      await Promise.all([react(message, 1), react(message, 1), react(message, 2)]);
      await react(message, 1);
      expect(await listPublishedFacts(catalog.store, orderId)).toMatchObject([{ placeIds, placesReleased: 2 }]);
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 4, free: 3, held: 0, sold: 1 });
    });

    test('a repeat releases no places that were bought since', async () => {
      const { show, orderId, all } = await soldOrder();
      const message = createFact(catalog.institution, 'order.cancelled', { orderId, placeIds: all });
      await react(message, 1);
      const other = await hold(catalog, show, { placeIds: all.slice(0, 2) });
      await act(catalog, other.holder, 'sale', { placeIds: getHeldPlaceIds(other) });
      await react(message, 1);
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 4, free: 2, held: 0, sold: 2 });
      expect(await listPublishedFacts(catalog.store, orderId)).toHaveLength(1);
    });

    test('after a crash between release and publication the next attempt publishes the same numbers', async () => {
      const collections = openCollections(catalog.store, catalog.institution);
      const { show, orderId, placeIds, keptPlaceIds } = await soldOrder();
      await releasePlaces(collections, orderId, placeIds, keptPlaceIds);
      expect(await listPublishedFacts(catalog.store, orderId)).toEqual([]);
      // Another buyer takes a place before the next attempt.
      await hold(catalog, show, { placeIds: placeIds.slice(0, 1) });
      await react(createFact(catalog.institution, 'tickets.cancelled', { orderId, placeIds, keptPlaceIds }), 2);
      expect(await listPublishedFacts(catalog.store, orderId)).toMatchObject([{ placeIds, placesReleased: 2 }]);
      const unsold = await hold(catalog, await createShow(catalog, createStalls(1)));
      await releaseAll(collections, unsold.holder);
      const cancelled = { orderId: unsold.holder, placeIds: getHeldPlaceIds(unsold) };
      await react(createFact(catalog.institution, 'order.cancelled', cancelled), 2);
      expect(await listPublishedFacts(catalog.store, unsold.holder)).toMatchObject([{ placesReleased: 1 }]);
    });

    test('through the bus: the fact arrives, the places become free, orders receives the release once', async () => {
      const bus = createInProcessBus({ deadLetters: noLetters, logger: quiet });
      const heard: unknown[] = [];
      const subscriptions = [
        await bus.subscribe(requireQueue('catalog.releases.v1'), react),
        await bus.subscribe(
          requireQueue('orders.fulfilment.v1'),
          async ({ key, data }) => void heard.push({ key, ...data }),
        ),
      ];
      const { outbox, lease } = catalog.store;
      const { orderId, all } = await soldOrder();
      const relay = startRelay({ outbox, lease: (name, ms) => lease(name, ms), bus, logger: quiet });
      const message = createFact(catalog.institution, 'order.cancelled', { orderId, placeIds: all });
      await bus.publish(message);
      await bus.publish(message);
      const ofOrder = () => heard.filter((one) => (one as { key: string }).key === orderId);
      while (ofOrder().length === 0) await pause(2);
      await relay.close();
      expect(ofOrder()).toEqual([
        { key: orderId, orderId, cause: 'order.cancelled', placeIds: all, placesReleased: 3 },
      ]);
      for (const subscription of subscriptions) await subscription.close();
      await bus.close();
    });
  });

  describe('late payments', () => {
    const EXPIRED = 3;

    /** An expired order and its late payment up to the sale, before the catalog receives the expiry. */
    const paidLate = async () => {
      const show = await createShow(catalog, createStalls(4));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      const requested = {
        requestId: 'late',
        heldUntil: addMinutesToNow(5),
        placeIds: getHeldPlaceIds(held),
        asOf: EXPIRED + 1,
      };
      const renewed = await act<RenewedHold>(catalog, orderId, 'renewal', requested);
      const placeIds = renewed.places.map(({ id }) => id);
      const expiry = createFact(catalog.institution, 'order.expired', { orderId, placeIds }, EXPIRED);
      return { show, orderId, requested, placeIds, expiry };
    };

    /** The places of two that a late payment keeps if the expiry message arrives before and after its sale. */
    const keptOn = async (store: Store): Promise<number> => {
      const react = reactTo(store);
      const { show, orderId, placeIds, expiry } = await paidLate();
      await react(expiry, 1);
      await act(catalog, orderId, 'sale', { placeIds });
      await react(expiry, 2);
      return (await readAvailability(catalog, show)).sold;
    };

    test('an expiry message after the renewal, or after the sale, releases nothing', async () => {
      expect(await keptOn(catalog.store)).toBe(2);
    });

    test('negative control: an expiry that ignores the version releases paid places', async () => {
      expect(await keptOn(createForgetfulStore(catalog.store, 'asOf'))).toBe(0);
    });

    test('a renewal of places that expired when sold keeps them, too', async () => {
      const show = await createShow(catalog, createStalls(2));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2 });
      const placeIds = getHeldPlaceIds(held);
      await act(catalog, orderId, 'sale', { placeIds: placeIds.slice(0, 1) });
      await act(catalog, orderId, 'renewal', {
        requestId: 'late',
        heldUntil: addMinutesToNow(5),
        placeIds,
        asOf: EXPIRED + 1,
      });
      await reactTo(catalog.store)(createFact(catalog.institution, 'order.expired', { orderId }, EXPIRED), 1);
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 2, free: 0, held: 1, sold: 1 });
    });

    test('a later expiry ends the renewed hold, and so does a cancellation', async () => {
      const first = await paidLate();
      await react(createFact(catalog.institution, 'order.expired', { orderId: first.orderId }, EXPIRED + 2), 1);
      expect((await readAvailability(catalog, first.show)).free).toBe(4);
      const second = await paidLate();
      await react(createFact(catalog.institution, 'order.cancelled', second, 1), 1);
      expect((await readAvailability(catalog, second.show)).free).toBe(4);
    });

    test('a renewal that comes after its order was sold and cancelled holds nothing, and frees no kept place', async () => {
      for (const kept of [0, 1]) {
        const { show, orderId, requested, placeIds } = await paidLate();
        await act(catalog, orderId, 'sale', { placeIds });
        const keptPlaceIds = placeIds.slice(0, kept);
        await react(
          createFact(catalog.institution, 'tickets.cancelled', { orderId, placeIds, keptPlaceIds }, EXPIRED + 3),
          1,
        );
        const late = await act<RenewedHold>(catalog, orderId, 'renewal', requested);
        expect(late).toEqual({ outcome: 'refused', places: [], missing: placeIds });
        expect(await readAvailability(catalog, show)).toMatchObject({ free: 4 - kept, held: 0, sold: kept });
      }
    });

    test('a refused renewal leaves the places to the expiry', async () => {
      const show = await createShow(catalog, createStalls(3, [3]));
      const { holder: orderId, ...held } = await hold(catalog, show, { quantity: 2, heldUntil: addMinutesToNow(-1) });
      const placeIds = getHeldPlaceIds(held);
      const [mine = '', lost = ''] = placeIds;
      await act(catalog, orderId, 'sale', { placeIds: [mine] });
      await hold(catalog, show, { placeIds: [lost] });
      const requested = { requestId: 'late', heldUntil: addMinutesToNow(5), placeIds, asOf: EXPIRED + 1 };
      expect(await act<RenewedHold>(catalog, orderId, 'renewal', requested)).toMatchObject({ missing: [lost] });
      await reactTo(catalog.store)(createFact(catalog.institution, 'order.expired', { orderId }, EXPIRED), 1);
      expect(await readAvailability(catalog, show)).toEqual({ capacity: 3, free: 2, held: 1, sold: 0 });
    });

    test('a cancelled performance or product refuses a renewal; a repeat after the sale returns the first answer', async () => {
      const bought = await paidLate();
      await act(catalog, bought.orderId, 'sale', { placeIds: bought.placeIds });
      const tooLate = await paidLate();
      const ofProduct = await paidLate();
      const cancel = (path: string) =>
        catalog.call('PATCH', `/svc/v3/catalog/${path}`, { body: { state: 'cancelled' } });
      for (const { show } of [bought, tooLate]) await cancel(`performances/${show.performance.id}`);
      await cancel(`products/${ofProduct.show.product.id}`);
      const again = ({ orderId, requested }: typeof bought) => act<RenewedHold>(catalog, orderId, 'renewal', requested);
      expect((await again(bought)).outcome).toBe('done');
      for (const refused of [tooLate, ofProduct]) {
        expect(await again(refused)).toEqual({ outcome: 'refused', places: [], missing: refused.placeIds });
      }
    });
  });
});
