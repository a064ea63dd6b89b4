import { type Listening, listen } from '@boxoffice/runtime';
import { createServiceClient } from '@boxoffice/service';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createCatalog } from '../../src/clients/catalog.ts';
import { createContacts } from '../../src/clients/contacts.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ordersApi } from '../../src/clients/generated/orders.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import { createOrders } from '../../src/clients/orders.ts';
import { createTickets } from '../../src/clients/tickets.ts';

const LONE_SURROGATE = '\ud800';

/** A service that answers 404 to every well-formed path. */
let empty: Listening;
beforeAll(async () => {
  empty = await listen(
    ({ url = '' }, response) => {
      decodeURIComponent(url);
      response.writeHead(404).end(JSON.stringify({ status: 'not_found', details: null, data: null }));
    },
    { host: '127.0.0.1', port: 0 },
  );
});
afterAll(() => empty.close());

test('an ill-formed id is unknown to every client', async () => {
  const options = { url: empty.url, credentials: { tokenFor: async () => 'identity' }, logger: { warn() {} } };
  const clients = {
    contacts: createServiceClient(contactsApi, options),
    orders: createServiceClient(ordersApi, options),
    tickets: createServiceClient(ticketsApi, options),
    catalog: createServiceClient(catalogApi, options),
  };
  const contacts = createContacts(clients.contacts);
  const orders = createOrders(clients.orders);
  const tickets = createTickets(clients.tickets);
  const catalog = createCatalog(clients.catalog);
  expect(
    await Promise.all([
      contacts.known('opera', LONE_SURROGATE),
      contacts.own('opera', LONE_SURROGATE),
      orders.get('opera', LONE_SURROGATE),
      tickets.get('opera', LONE_SURROGATE),
      catalog.pointOfSale(LONE_SURROGATE),
      catalog.places('opera', LONE_SURROGATE),
    ]),
  ).toEqual(Array(6).fill(undefined));
  const { outcome, reason } = await orders.removeLine('opera', 'ord_1', LONE_SURROGATE);
  expect([outcome, reason]).toEqual(['refused', 'cart_gone']);
});
