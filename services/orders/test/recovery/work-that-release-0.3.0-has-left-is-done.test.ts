import { startCompletion } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { orderWork } from '../../src/follows.ts';
import { ORDERS_OF_0_3, type OrderDocument, ordersCollection } from '../../src/store.ts';
import { describeOnEachEngine, waitUntil } from '../fixture/fixture.ts';
import { createContact, createOrderInHall } from '../fixture/orders.ts';

describeOnEachEngine('work that release 0.3.0 has left', (fixture) => {
  const { upgrade: _, ...stored } = ordersCollection;
  const ended = Object.fromEntries(orderWork.map((name) => [name, null]));

  /** Stores a new order as that release did: marked, and nothing due. */
  const leave = async (marks: (order: OrderDocument) => Partial<OrderDocument>): Promise<string> => {
    const { order } = await createOrderInHall(fixture);
    const orders = fixture.store.collection(stored).of('opera');
    const left = await orders.update(order.id, (found) => ({ next: { ...found, ...marks(found) }, due: ended }));
    expect(left?.due).toBeUndefined();
    return order.id;
  };

  const complete = async (id: string): Promise<void> => {
    const warn = (message: string) => expect(message).toBeUndefined();
    const orders = fixture.store.collection(stored).of('opera');
    const completions = ORDERS_OF_0_3.map((old) => startCompletion(fixture.store, ordersCollection, old, { warn }));
    await waitUntil(async () => (await orders.get(id))?.due !== undefined);
    await Promise.all(completions.map((one) => one.close()));
  };

  const past = Date.now() - 60_000;
  const payment = { id: 'pay_1', method: 'card', amount: 2_000, currency: 'CHF', reference: null, status: 'captured' };

  test.each<[string, (order: OrderDocument) => object, (order: OrderDocument) => unknown]>([
    ['the end of a hold', () => ({ deadline: past }), ({ state }) => state === 'expired'],
    [
      'a sale',
      () => ({
        payments: [{ ...payment, createdAt: past, updatedAt: past }],
        saleDue: { since: past, paymentId: 'pay_1' },
      }),
      ({ state }) => state === 'confirmed',
    ],
    [
      'the release of a removed line',
      ({ lines, version }) => ({
        lines: lines.slice(1),
        removedPlaces: { since: past, asOf: version, placeIds: [String(lines[0]?.place.id)] },
      }),
      ({ id }) => fixture.catalog.placesOf(id).length === 1,
    ],
    [
      'a hold that has become shorter',
      ({ expiresAt }) => ({ expiresAt: Number(expiresAt) - 60_000, shorteningDue: past }),
      ({ id, expiresAt }) => fixture.catalog.placesOf(id).every((place) => place.until === expiresAt),
    ],
    [
      'the names of tickets',
      () => ({ state: 'confirmed', deadline: null, confirmedAt: past, namesDue: past }),
      ({ id }) => fixture.tickets.issuesOf(id).length === 1,
    ],
    [
      'tickets that its fact was to issue',
      () => ({ state: 'confirmed', deadline: null, confirmedAt: past }),
      ({ id }) => fixture.tickets.issuesOf(id).length === 1,
    ],
    [
      'the contact of a guest',
      () => {
        const contactNumber = createContact(fixture);
        return {
          contactNumber,
          guestContact: contactNumber,
          guest: { lastName: 'Haskil', email: 'c@h.ch', since: past },
        };
      },
      ({ contactNumber, guest }) => guest === null && fixture.contacts.guests.has(String(contactNumber)),
    ],
    [
      'the contact of a former guest',
      () => ({ formerGuests: { contactNumbers: [createContact(fixture)], since: past } }),
      ({ formerGuests }) => formerGuests === null,
    ],
  ])('%s is found and done', async (_name, marks, isDone) => {
    const id = await leave(marks as Parameters<typeof leave>[0]);
    await complete(id);
    await fixture.later();
    const order = await fixture.document(id);
    expect(order && isDone(order)).toBe(true);
    // What is left is the end of a hold, later.
    expect(Object.keys(order?.due ?? {}).filter((name) => name !== 'expire')).toEqual([]);
  });

  test('work that is stored as due is found in no other way', async () => {
    const { order } = await createOrderInHall(fixture);
    const found = await fixture.document(order.id);
    expect(found?.due).toEqual({ expire: { at: found?.deadline, since: found?.deadline, tries: 0 } });
  });
});
