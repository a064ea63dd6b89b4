import { findExampleFaults } from '@boxoffice/http';
import { findUncalledOperations, useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import * as example from '../../src/api/examples.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import { createContacts, createStock, createTickets } from '../../src/clients/services.ts';
import { createRoutes } from '../../src/commands.ts';
import type { OrdersContext } from '../../src/context.ts';
import { findShopReason, type Reason, refusals, shopReasons } from '../../src/domain/decisions.ts';
import { openFixture } from '../fixture/fixture.ts';
import { expectUnknown } from '../fixture/operations.ts';
import { buyCart, createCart, createContact, requireDone } from '../fixture/orders.ts';

const fixture = useFixture(() => openFixture());

test('every operation has examples that match its schemas', () => {
  expect(findExampleFaults(createRoutes({} as OrdersContext))).toEqual([]);
});

test('the example of a reservation is accepted for the next five years', async () => {
  const hall = fixture.catalog.hall(1);
  const { data } = await fixture.call('POST', '', { body: { items: [hall.item()] } });
  const { dueAt } = example.reserved;
  expect(Date.parse(dueAt)).toBeGreaterThan(Date.now() + 5 * 365 * 86_400_000);
  expect((await fixture.call('POST', `/${data.id}/reservation`, { body: { dueAt } })).status).toBe(200);
});

test('every operation answers for an order of another institution as for an unknown one', async () => {
  const hall = fixture.catalog.hall(1, { institution: 'museum' });
  const { data } = await fixture.call('POST', '', { institution: 'museum', body: { items: [hall.item()] } });
  expect(data.state).toBe('open');
  await expectUnknown(fixture, { orderId: data.id, lineId: String(data.lines[0]?.id) }, {});
});

test('each operation that the authorizer permits to orders is called', async () => {
  const catalog = await findUncalledOperations(catalogApi, (client) => {
    const stock = createStock(client);
    const { hold, quotes, quoteAll, extend, shorten, renew, sell, release, refundsCredit } = stock;
    const held = { holder: 'ord_1', requestId: 'r', heldUntil: '2030-01-01T00:00:00.000Z' };
    const renewal = { requestId: 'r', heldUntil: '2030-01-01T00:00:00.000Z', placeIds: ['plc_1'], asOf: 1 };
    return [
      hold('opera', { holder: 'ord_1', requestId: 'r', asOf: 1, items: [] }),
      quotes('opera', [], null),
      quoteAll('opera', { items: [] }),
      extend('opera', 'ord_1', { heldUntil: renewal.heldUntil }),
      shorten('opera', 'ord_1', { heldUntil: renewal.heldUntil, placeIds: ['plc_1'], asOf: 2 }),
      renew('opera', 'ord_1', renewal),
      sell('opera', 'ord_1', { placeIds: ['plc_1'] }),
      release('opera', 'ord_1', { asOf: 1 }),
      refundsCredit('opera', 'tickets.opera.example'),
      stock.pricing('opera', {}),
      stock.holdUses('opera', { ...held, asOf: 1, uses: [{ pool: 'dsc_1', count: 1 }] }),
    ];
  });
  const contacts = await findUncalledOperations(contactsApi, (client) => {
    const { criteria, find, writeGuest, forgetGuest } = createContacts(client);
    const guest = { firstName: 'Ana', lastName: 'Martin', email: 'ana@example.org', since: 0 };
    return [
      criteria('opera', 'C1'),
      find('opera', { name: 'm' }),
      writeGuest('opera', 'C1', guest),
      forgetGuest('opera', 'C1'),
    ];
  });
  const tickets = await findUncalledOperations(ticketsApi, (client) => {
    const { controlled, issue, settle } = createTickets(client);
    const tickets = { orderId: 'ord_1', contactNumber: null, tickets: [] };
    const change = { id: 'chg_1', override: false, returned: [], exchanged: [] };
    return [controlled('opera', 'ord_1'), issue('opera', tickets, 1), settle('opera', 1, { ...tickets, change })];
  });
  expect({ catalog, contacts, tickets }).toEqual({ catalog: [], contacts: [], tickets: [] });
});

test('the look-up of controlled tickets ends after a second, even if the call never ends', async () => {
  const never = () => new Promise<never>(() => undefined);
  const hanging = { call: never, find: never, close: () => undefined };
  expect(await createTickets(hanging).controlled('opera', 'ord_1')).toBeUndefined();
});

test('a tickets service that hangs delays one checkout, and the next ones skip the call', async () => {
  const contactNumber = createContact(fixture);
  const carts = await Promise.all(Array.from({ length: 6 }, () => createCart(fixture, 1)));
  const buy = async (path = '') =>
    expect(requireDone(await buyCart(fixture, path, { contactNumber }))).toMatchObject({ state: 'confirmed' });
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

test('a reason in answers to the point of sale maps to itself where the table has it', () => {
  const others = shopReasons.filter((reason) => !(reason in refusals));
  expect(others).toEqual(['busy']);
  for (const reason of Object.keys(refusals) as Reason[])
    if (shopReasons.some((one) => one === reason)) expect(findShopReason(reason)).toBe(reason);
});
