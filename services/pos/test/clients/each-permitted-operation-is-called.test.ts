import { findUncalledOperations } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { createCatalog } from '../../src/clients/catalog.ts';
import { createContacts } from '../../src/clients/contacts.ts';
import { catalogApi } from '../../src/clients/generated/catalog.ts';
import { contactsApi } from '../../src/clients/generated/contacts.ts';
import { ordersApi } from '../../src/clients/generated/orders.ts';
import { paymentsApi } from '../../src/clients/generated/payments.ts';
import { ticketsApi } from '../../src/clients/generated/tickets.ts';
import { createOrders } from '../../src/clients/orders.ts';
import { createPayments } from '../../src/clients/payments.ts';
import { createTickets } from '../../src/clients/tickets.ts';

const page = {
  paymentId: 'pay_1',
  provider: 'stripe',
  mode: 'test',
  reference: 'cs_1',
  url: 'https://pay.example/cs_1',
  amount: 4_500,
  currency: 'CHF',
  expiresAt: '2031-01-01T00:00:00.000Z',
  until: '2031-01-01T00:01:00.000Z',
} as const;

test('each operation that the authorizer permits to the point of sale is called', async () => {
  const catalog = await findUncalledOperations(catalogApi, (client) => {
    const { shops, pointOfSale, published, pricing, stock, places, plan } = createCatalog(client);
    const of = ['opera', 'prf_1'] as const;
    const prices = pricing('opera', ['FRIENDS']);
    const stocks = [stock('opera', ['prf_1']), places(...of), plan(...of)];
    return [shops(), pointOfSale('host'), published('opera'), prices, ...stocks];
  });
  const contacts = await findUncalledOperations(contactsApi, (client) => {
    const { known, own, hasEmail } = createContacts(client);
    return [known('opera', 'C1'), own('opera', 'C1'), hasEmail('opera', 'C1', 'ana@example.org')];
  });
  const orders = await findUncalledOperations(ordersApi, (client) => {
    const orders = createOrders(client);
    const visitor = { orderId: 'ord_1', pointOfSale: 'host', address: '192.0.2.1' };
    return [
      orders.add('opera', { ...visitor, requestId: 'r', items: [] }),
      orders.addCode('opera', { ...visitor, currency: 'CHF', code: 'SPRING-27' }),
      orders.removeCodes('opera', 'ord_1', 'dsc_1'),
      orders.price('opera', 'ord_1', {}),
      orders.changeLine('opera', 'ord_1', 'lin_1', { requestId: 'r' }),
      orders.removeLine('opera', 'ord_1', 'lin_1'),
      orders.abandon('opera', 'ord_1'),
      orders.checkout('opera', 'ord_1', { requestId: 'r', paymentMethod: 'external' }),
      orders.pay('opera', 'ord_1', { requestId: 'r', page }),
      orders.cancel('opera', 'ord_1', { requestId: 'r', until: '2031-01-01T00:00:00.000Z' }),
      orders.quoteChange('opera', 'ord_1', {}),
      orders.change('opera', 'ord_1', { requestId: 'r', difference: 0 }),
      orders.endChange('opera', 'ord_1', 'chg_1'),
      orders.cancelAfterFault('opera', 'ord_1', 0),
      orders.get('opera', 'ord_1'),
      orders.withNumber('opera', 'k7m2xq9c'),
      orders.list('opera', { ids: [], offset: 0, limit: 1 }),
      orders.ofPerformance('opera', 'prf_1').next(),
    ];
  });
  const payments = await findUncalledOperations(paymentsApi, (client) => {
    const { open, close, look } = createPayments(client);
    const { provider, amount, currency, url: returnUrl } = page;
    const order = { orderId: 'ord_1', requestId: 'r', pointOfSale: 'host', number: 'k3m9xqw7', returnUrl };
    return [open('opera', { ...order, provider, amount, currency }), close('opera', 'pay_1'), look('opera', 'ord_1')];
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
  expect({ catalog, contacts, orders, payments, tickets }).toEqual({
    ...{ catalog: [], contacts: [], orders: [], payments: [], tickets: [] },
  });
});
