import type { OutboxEvent } from '@boxoffice/store';
import { expect, test } from '@jest/globals';
import { currentFacts } from '../../src/events.ts';
import { describeOnEachEngine } from '../fixture/fixture.ts';
import { newOrder } from '../fixture/orders.ts';
import { checkout, newCart, newContact } from '../fixture/shopper.ts';

describeOnEachEngine('a contact that an order of a client names is published', (fixture) => {
  /** What the writes of a command publish of contacts. */
  const namedBy = async (command: () => Promise<unknown>): Promise<object[]> => {
    const events: OutboxEvent[] = [];
    const unsubscribe = fixture.store.outbox.onCommitted((committed) => events.push(...committed));
    await command();
    unsubscribe();
    return events.filter(({ type }) => type === 'order.contact_named').map(({ data }) => data);
  };

  /** What the present facts say of the order's contact. */
  const currentlyNamedBy = async (orderId: string): Promise<object[]> => {
    const named: object[] = [];
    for await (const fact of currentFacts.read(fixture.store))
      if (fact.key === orderId && fact.type === 'order.contact_named') named.push(fact.data);
    return named;
  };

  test('once per change, with the write that names it, another or none, whichever client writes', async () => {
    const [first, second] = [newContact(fixture), newContact(fixture)];
    const body = { contactNumber: first, items: [fixture.catalog.hall(1).item(1)] };
    let orderId = '';
    const made = await namedBy(async () => {
      orderId = (await fixture.call('POST', '', { client: 'agency', body })).data.id;
    });
    const path = `/${orderId}`;
    expect(made).toEqual([{ orderId, contactNumber: first, clientId: 'agency' }]);
    const change = (changes: object) =>
      namedBy(() =>
        fixture.call('PATCH', path, { client: 'till', body: changes }).then(({ status }) => expect(status).toBe(200)),
      );
    expect(await change({ externalReference: 'R-1', contactNumber: first })).toEqual([]);
    expect(await change({ contactNumber: second })).toEqual([{ orderId, contactNumber: second, clientId: 'agency' }]);
    expect(await namedBy(() => fixture.confirm(path))).toEqual([]);
    expect(await change({ contactNumber: null })).toEqual([{ orderId, contactNumber: null, clientId: 'agency' }]);
    expect(await currentlyNamedBy(orderId)).toEqual([{ orderId, contactNumber: null, clientId: 'agency' }]);
    expect(await change({ externalReference: 'R-2' })).toEqual([]);
    expect(await change({ contactNumber: first })).toEqual([{ orderId, contactNumber: first, clientId: 'agency' }]);
    expect(await currentlyNamedBy(orderId)).toEqual([{ orderId, contactNumber: first, clientId: 'agency' }]);
  });

  test('not of an order without a contact, nor of a shopper’s', async () => {
    let orderId = '';
    const made = async () => {
      orderId = (await newOrder(fixture, 1, { client: 'agency' })).order.id;
    };
    expect(await namedBy(made)).toEqual([]);
    expect(await currentlyNamedBy(orderId)).toEqual([]);
    const bought = async () => {
      const { path } = await newCart(fixture);
      await checkout(fixture, path, { contactNumber: newContact(fixture) });
    };
    expect(await namedBy(bought)).toEqual([]);
  });
});
