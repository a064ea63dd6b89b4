import { listen } from '@boxoffice/runtime';
import { createServiceClient } from '@boxoffice/service';
import { findUncalledOperations, useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { createCatalog } from '../../src/clients/catalog.ts';
import { createContacts } from '../../src/clients/contacts.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ordersApi } from '../../src/clients/generated/orders.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import { createOrders } from '../../src/clients/orders.ts';
import { createTickets } from '../../src/clients/tickets.ts';

test('each operation that the authorizer permits to the point of sale is called', async () => {
  const catalog = await findUncalledOperations(catalogApi, (client) => {
    const { shops, pointOfSale, published, stock, places, plan } = createCatalog(client);
    return [
      shops(),
      pointOfSale('host'),
      published('opera'),
      stock('opera', ['prf_1']),
      places('opera', 'prf_1'),
      plan('opera', 'prf_1'),
    ];
  });
  const contacts = await findUncalledOperations(contactsApi, (client) => {
    const { known, own, hasEmail } = createContacts(client);
    return [known('opera', 'C1'), own('opera', 'C1'), hasEmail('opera', 'C1', 'ana@example.org')];
  });
  const orders = await findUncalledOperations(ordersApi, (client) => {
    const {
      add,
      changeLine,
      removeLine,
      abandon,
      checkout,
      cancel,
      cancelAfterFault,
      get,
      withNumber,
      list,
      ofPerformance,
    } = createOrders(client);
    const addition = { orderId: 'ord_1', requestId: 'r', pointOfSale: 'host', address: '192.0.2.1', items: [] };
    return [
      add('opera', addition),
      changeLine('opera', 'ord_1', 'lin_1', { requestId: 'r' }),
      removeLine('opera', 'ord_1', 'lin_1'),
      abandon('opera', 'ord_1'),
      checkout('opera', 'ord_1', { requestId: 'r', paymentMethod: 'external' }),
      cancel('opera', 'ord_1', { requestId: 'r', until: '2031-01-01T00:00:00.000Z' }),
      cancelAfterFault('opera', 'ord_1', 0),
      get('opera', 'ord_1'),
      withNumber('opera', 'k7m2xq9c'),
      list('opera', { ids: [], offset: 0, limit: 1 }),
      ofPerformance('opera', 'prf_1').next(),
    ];
  });
  const tickets = await findUncalledOperations(ticketsApi, (client) => {
    const { list, get, draw, name } = createTickets(client);
    return [
      list('opera', {}),
      get('opera', 'tic_1'),
      draw('opera', {
        ticketIds: ['tic_1'],
        languages: ['fr', 'en'],
        pointOfSale: { name: 'Shop', branding: null },
        order: { number: 'k3m9xqw7', buyer: null },
      }),
      name('opera', 'tic_1', {}),
    ];
  });
  expect({ catalog, contacts, orders, tickets }).toEqual({ catalog: [], contacts: [], orders: [], tickets: [] });
});

const LONE_SURROGATE = '\ud800';

/** A service that answers 404 to every well-formed path. */
const empty = useFixture(() =>
  listen(
    ({ url = '' }, response) => {
      decodeURIComponent(url);
      response.writeHead(404).end(JSON.stringify({ status: 'not_found', details: null, data: null }));
    },
    { host: '127.0.0.1', port: 0 },
  ),
);

test('an ill-formed id is unknown to every client', async () => {
  const options = { url: empty.url, credentials: { tokenFor: async () => 'identity' }, logger: { warn() {} } };
  const contacts = createContacts(createServiceClient(contactsApi, options));
  const orders = createOrders(createServiceClient(ordersApi, options));
  const tickets = createTickets(createServiceClient(ticketsApi, options));
  const catalog = createCatalog(createServiceClient(catalogApi, options));
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
