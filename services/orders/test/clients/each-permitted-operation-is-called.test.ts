import { uncalledOf, useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { createContacts } from '../../src/clients/contacts.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import { createStock } from '../../src/clients/stock.ts';
import { createTickets } from '../../src/clients/tickets.ts';
import { openFixture } from '../fixture/fixture.ts';
import { checkout, done, newCart, newContact } from '../fixture/shopper.ts';

test('each operation that the authorizer permits to orders is called', async () => {
  const catalog = await uncalledOf(catalogApi, (client) => {
    const { hold, quotes, quoteAll, extend, renew, sell, release } = createStock(client);
    const renewal = { requestId: 'r', heldUntil: '2030-01-01T00:00:00.000Z', placeIds: ['plc_1'], asOf: 1 };
    return [
      hold('opera', { holder: 'ord_1', requestId: 'r', asOf: 1, items: [] }),
      quotes('opera', [], null),
      quoteAll('opera', { items: [] }),
      extend('opera', 'ord_1', { heldUntil: renewal.heldUntil }),
      renew('opera', 'ord_1', renewal),
      sell('opera', 'ord_1', { placeIds: ['plc_1'] }),
      release('opera', 'ord_1', { asOf: 1 }),
    ];
  });
  const contacts = await uncalledOf(contactsApi, (client) => {
    const { criteria, writeGuest, forgetGuest } = createContacts(client);
    const guest = { firstName: 'Ana', lastName: 'Martin', email: 'ana@example.org', since: 0 };
    return [criteria('opera', 'C1'), writeGuest('opera', 'C1', guest), forgetGuest('opera', 'C1')];
  });
  const tickets = await uncalledOf(ticketsApi, (client) => {
    const { controlled, issue } = createTickets(client);
    return [controlled('opera', 'ord_1'), issue('opera', { orderId: 'ord_1', contactNumber: null, tickets: [] }, 1)];
  });
  expect({ catalog, contacts, tickets }).toEqual({ catalog: [], contacts: [], tickets: [] });
});

test('the look-up of controlled tickets ends after a second, even if the call never ends', async () => {
  const never = () => new Promise<never>(() => undefined);
  const hanging = { call: never, find: never, close: () => undefined };
  expect(await createTickets(hanging).controlled('opera', 'ord_1')).toBeUndefined();
});

const fixture = useFixture(() => openFixture());

test('a tickets service that hangs delays one checkout, and the next ones skip the call', async () => {
  const contactNumber = newContact(fixture);
  const carts = await Promise.all(Array.from({ length: 6 }, () => newCart(fixture, 1)));
  const buy = async (path = '') =>
    expect(done(await checkout(fixture, path, { contactNumber }))).toMatchObject({ state: 'confirmed' });
  const issueCalls = () => fixture.tickets.calls.filter(({ operation }) => operation === 'issueTickets').length;
  fixture.tickets.mishaps.set('issueTickets', 'hangs after');
  const [first, ...others] = carts.map(({ path }) => path);
  await fixture.hurried(async () => {
    await buy(first);
    expect(issueCalls()).toBe(1);
    await Promise.all(others.map(buy));
  });
  // After a timeout the next checkouts skip the call.
  expect(issueCalls()).toBe(1);
  fixture.tickets.mishaps.clear();
});
