import { uncalledOf } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { createContacts } from '../../src/clients/clients.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import { createStock } from '../../src/clients/stock.ts';
import { createTickets } from '../../src/clients/tickets.ts';

test('each operation that the authorizer permits to orders is called', async () => {
  const catalog = await uncalledOf(catalogApi, (client) => {
    const { hold, quotes, quoteAll, extend, renew, sell, release } = createStock(client);
    const renewal = { requestId: 'r', heldUntil: '2030-01-01T00:00:00.000Z', placeIds: ['plc_1'], asOf: 1 };
    return [
      hold('opera', { holder: 'ord_1', requestId: 'r', asOf: 1, items: [] }),
      quotes('opera', [], null),
      quoteAll('opera', [], undefined),
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
