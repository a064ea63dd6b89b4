import { beforeAll, describe, expect, test } from '@jest/globals';
import { must as requireData, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const full = usePartner(product);
const pathOf = new Map<string, string>();

const must = (path: string, method?: string, body?: object) => requireData(full, path, method, body);

/** Finds a resource of every kind that a PUT or PATCH changes, by the path of its description. */
const findResources = async (): Promise<void> => {
  const { numbered } = product.demo.fixtures.opera ?? {};
  const performance = await must(`/svc/v3/catalog/performances/${numbered?.performanceId}`);
  const [tariff] = (await must('/svc/v3/catalog/tariffs')).items;
  const pos = product.demo.pointsOfSale.find(({ institution }) => institution === 'opera');
  const individual = await must('/svc/v3/contacts/individuals', 'POST', {
    lastName: 'Martin',
    email: `${Math.random().toString(36).slice(2)}@example.org`,
    address: { city: 'Genève', country: 'CH' },
    authorizations: { newsletter: true },
  });
  const structure = await must('/svc/v3/contacts/structures', 'POST', { name: 'École', relay: { lastName: 'Dupont' } });
  const [price] = performance.prices;
  const items = [{ performanceId: performance.id, seatCategoryId: price.seatCategoryId, tariffId: price.tariffId }];
  const order = await must('/svc/v3/orders', 'POST', { contactNumber: individual.contactNumber, items });
  const orderPath = `/svc/v3/orders/${order.id}`;
  await must(`${orderPath}/confirmation`, 'POST', { onAccount: true });
  const waiting = await must('/svc/v3/orders', 'POST', { items });
  const payment = await must(`/svc/v3/orders/${waiting.id}/payments`, 'POST', {
    method: 'invoice',
    amount: 1,
    reference: 'psp-1',
    status: 'pending',
  });
  const [ticket] = (await must(`/svc/v3/tickets?orderId=${order.id}`)).items;
  const ticketPath = `/svc/v3/tickets/${ticket.id}`;
  await must(ticketPath, 'PATCH', { beneficiary: { lastName: 'Martin' } });
  await must(`${ticketPath}/printing`, 'POST');
  await must(`${ticketPath}/control`, 'POST', { gate: 'North' });
  const code = Math.random().toString(36).slice(2).toUpperCase();
  const tax = await must('/svc/v3/catalog/taxes', 'POST', { code, name: { en: 'VAT' }, rate: '2.6' });
  const ofFee = { code, name: { en: 'Refund fee' }, per: 'order', amount: 100, taxId: tax.id, state: 'paused' };
  const fee = await must('/svc/v3/catalog/fees', 'POST', ofFee);
  const discount = await must('/svc/v3/catalog/discounts', 'POST', {
    ...{ name: { en: 'Any' }, trigger: 'code', effect: { percent: '10', roundTo: 5 }, limits: { uses: 3 } },
    ...{ tariffIds: [tariff.id], channels: { clientIds: ['cl_any'] }, state: 'paused' },
  });
  const [client] = (await must('/svc/v3/clients')).items;
  const [apiKey] = (await must('/svc/v3/api-keys')).items;
  const [user] = (await must('/svc/v3/users?role=manager')).items;
  const hook = { url: 'https://partner.example.com/boxoffice', types: ['order.*'] };
  const webhook = await must('/svc/v3/webhooks', 'POST', hook);
  const contacts = { individuals: individual, structures: structure };
  for (const [kind, { contactNumber }] of Object.entries(contacts))
    for (const prefix of ['', '/svc/v3'])
      pathOf.set(`${prefix}/contacts/${kind}/{contactNumber}`, `${prefix}/contacts/${kind}/${contactNumber}`);
  for (const prefix of ['', '/svc/v3']) {
    const path = (number: string) => `${prefix}/contacts/individuals/${number}/sensitive`;
    pathOf.set(path('{contactNumber}'), path(individual.contactNumber));
  }
  pathOf.set('/svc/v3/catalog/products/{productId}', `/svc/v3/catalog/products/${numbered?.productId}`);
  pathOf.set('/svc/v3/catalog/performances/{performanceId}', `/svc/v3/catalog/performances/${performance.id}`);
  pathOf.set('/svc/v3/catalog/tariffs/{tariffId}', `/svc/v3/catalog/tariffs/${tariff.id}`);
  pathOf.set('/svc/v3/catalog/points-of-sale/{serviceHost}', `/svc/v3/catalog/points-of-sale/${pos?.serviceHost}`);
  pathOf.set('/svc/v3/catalog/taxes/{taxId}', `/svc/v3/catalog/taxes/${tax.id}`);
  pathOf.set('/svc/v3/catalog/fees/{feeId}', `/svc/v3/catalog/fees/${fee.id}`);
  pathOf.set('/svc/v3/catalog/discounts/{discountId}', `/svc/v3/catalog/discounts/${discount.id}`);
  pathOf.set('/svc/v3/orders/{orderId}', orderPath);
  pathOf.set('/svc/v3/orders/{orderId}/payments/{paymentId}', `/svc/v3/orders/${waiting.id}/payments/${payment.id}`);
  pathOf.set('/svc/v3/tickets/{ticketId}', ticketPath);
  pathOf.set('/svc/v3/clients/{clientId}', `/svc/v3/clients/${client.clientId}`);
  pathOf.set('/svc/v3/api-keys/{apiKeyId}', `/svc/v3/api-keys/${apiKey.apiKeyId}`);
  pathOf.set('/svc/v3/users/{userId}', `/svc/v3/users/${user.userId}`);
  pathOf.set('/svc/v3/payment-providers/{provider}', '/svc/v3/payment-providers/stripe');
  pathOf.set('/svc/v3/webhooks/{webhookId}', `/svc/v3/webhooks/${webhook.webhookId}`);
};

/** What no answer has: who writes it back adds it. */
const addSecrets = (read: Record<string, unknown>) =>
  'hasWebhookSecret' in read
    ? { ...read, secretKey: 'sk_simulated_opera', webhookSecret: 'whsec_simulatedopera' }
    : read;

/** Every PUT and PATCH of family A on a resource that can be read. */
const writes = async (): Promise<[string, string][]> => {
  const { body } = await full('/openapi.json');
  const paths = body.paths as Record<string, Record<string, object>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    ['put', 'patch'].flatMap((method): [string, string][] => (item[method] && item.get ? [[method, path]] : [])),
  );
};

beforeAll(findResources);

describe('a resource that was read', () => {
  test('can be written back whole by every PUT and PATCH', async () => {
    const described = await writes();
    expect([...new Set(described.map(([, path]) => path))].toSorted()).toEqual([...pathOf.keys()].toSorted());
    const outcomes: unknown[] = [];
    for (const [method, template] of described) {
      const path = pathOf.get(template) ?? '';
      const read = await must(path);
      const { status, text } = await full(path, { method: method.toUpperCase(), body: addSecrets(read) });
      if (status !== 200) outcomes.push([method, template, status, text]);
      const { updatedAt: _, ...now } = await must(path);
      expect(now).toMatchObject(Object.fromEntries(Object.entries(read).filter(([name]) => name in now)));
    }
    expect(outcomes).toEqual([]);
  });

  test.each([
    ['/svc/v3/orders/{orderId}', 'patch', { state: 'open' }, 'cancelOrder'],
    ['/svc/v3/orders/{orderId}', 'patch', { lines: [] }, 'removeLine'],
    ['/svc/v3/orders/{orderId}', 'patch', { total: 1 }, 'addLines'],
    ['/svc/v3/orders/{orderId}/payments/{paymentId}', 'patch', { status: 'pending', amount: 7 }, '$.amount'],
    ['/svc/v3/tickets/{ticketId}', 'patch', { status: 'printed' }, 'revertControl'],
    ['/svc/v3/tickets/{ticketId}', 'patch', { barcode: 'x' }, 'replaceTicket'],
    ['/svc/v3/contacts/individuals/{contactNumber}', 'patch', { contactNumber: 'C1' }, '$.contactNumber'],
    [
      '/svc/v3/contacts/structures/{contactNumber}',
      'put',
      { name: 'x', erasedAt: '2027-01-01T00:00:00Z' },
      'eraseStructure',
    ],
    ['/svc/v3/catalog/products/{productId}', 'patch', { performances: [] }, 'changePerformance'],
    ['/svc/v3/catalog/performances/{performanceId}', 'patch', { productId: 'prd_1' }, '$.productId'],
    ['/svc/v3/catalog/tariffs/{tariffId}', 'patch', { id: 'trf_1' }, '$.id'],
    ['/svc/v3/catalog/points-of-sale/{serviceHost}', 'patch', { serviceHost: 'other.example' }, '$.serviceHost'],
    ['/svc/v3/clients/{clientId}', 'patch', { secrets: [] }, 'deleteClientSecret'],
    ['/svc/v3/api-keys/{apiKeyId}', 'patch', { hint: 'none' }, '$.hint'],
    ['/svc/v3/users/{userId}', 'patch', { login: 'other@example.org' }, '$.login'],
  ])('is refused where another operation changes it: %s, %s %j', async (template, method, body, named) => {
    const reply = await full(pathOf.get(template) ?? '', { method: method.toUpperCase(), body });
    expect([reply.status, reply.body.status, reply.body.details]).toEqual([
      422,
      'validation_error',
      expect.stringContaining(named),
    ]);
  });

  test('a seat category can be written back, but not with another code', async () => {
    const path = pathOf.get('/svc/v3/catalog/performances/{performanceId}') ?? '';
    const [{ id, code }] = (await must(path)).seatCategories;
    const patch = (category: object) =>
      full(path, { method: 'PATCH', body: { seatCategories: [{ id, ...category }] } });
    expect((await patch({ code })).status).toBe(200);
    expect(await patch({ code: `${code}X` })).toMatchObject({
      status: 422,
      body: { details: expect.stringContaining('$.seatCategories[0].code') },
    });
  });
});
