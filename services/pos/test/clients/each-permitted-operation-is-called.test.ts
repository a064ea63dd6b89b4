import { type Operations, type ServiceApi, type ServiceClient, ServiceRefusal } from '@boxoffice/service';
import { expect, test } from '@jest/globals';
import { createCatalog } from '../../src/clients/catalog.ts';
import { createContacts } from '../../src/clients/contacts.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ordersApi } from '../../src/clients/generated/orders.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import { createOrders } from '../../src/clients/orders.ts';
import { createTickets } from '../../src/clients/tickets.ts';

/** The operations of a service that are not called, through a client that refuses all calls. */
const uncalled = async <All extends Operations<All>>(
  { operations }: ServiceApi<All>,
  callAll: (client: ServiceClient<All>) => readonly Promise<unknown>[],
): Promise<string[]> => {
  const called = new Set<string>();
  const refuse = async (...[, operation]: readonly unknown[]) => {
    called.add(String(operation));
    throw new ServiceRefusal('other', 403, 'forbidden', null);
  };
  await Promise.allSettled(callAll({ call: refuse, find: refuse, close: () => undefined }));
  return Object.keys(operations).filter((id) => !called.has(id));
};

// Generated clients have the operations that the authorizer permits: one that is not called any more leaves its list.
test('each operation that the authorizer permits to the point of sale is called', async () => {
  const catalog = await uncalled(catalogApi, (client) => {
    const { pointOfSale, published, stock, places } = createCatalog(client);
    return [pointOfSale('host'), published('opera'), stock('opera', ['prf_1']), places('opera', 'prf_1')];
  });
  const contacts = await uncalled(contactsApi, (client) => {
    const { known, own } = createContacts(client);
    return [known('opera', 'C1'), own('opera', 'C1')];
  });
  const orders = await uncalled(ordersApi, (client) => {
    const { add, changeLine, removeLine, giveUp, checkout, cancel, cancelAfterFault, get, list } = createOrders(client);
    const addition = { orderId: 'ord_1', requestId: 'r', pointOfSale: 'host', address: '192.0.2.1', items: [] };
    return [
      add('opera', addition),
      changeLine('opera', 'ord_1', 'lin_1', { requestId: 'r' }),
      removeLine('opera', 'ord_1', 'lin_1'),
      giveUp('opera', 'ord_1'),
      checkout('opera', 'ord_1', { requestId: 'r', paymentMethod: 'external' }),
      cancel('opera', 'ord_1', 'r'),
      cancelAfterFault('opera', 'ord_1', 0),
      get('opera', 'ord_1'),
      list('opera', { ids: [], offset: 0, limit: 1 }),
    ];
  });
  const tickets = await uncalled(ticketsApi, (client) => {
    const { list, get, name } = createTickets(client);
    return [list('opera', {}), get('opera', 'tic_1'), name('opera', 'tic_1', {})];
  });
  expect({ catalog, contacts, orders, tickets }).toEqual({ catalog: [], contacts: [], orders: [], tickets: [] });
});
