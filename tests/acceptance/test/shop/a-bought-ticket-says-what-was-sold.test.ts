import { type Client, type Json, openClient, openVisitor } from '@boxoffice/testkit';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { authorised } from '../../src/client.ts';
import { type Product, startProduct } from '../../src/product.ts';

let product: Product;
let full: Client;
beforeAll(async () => {
  product = await startProduct();
  full = await authorised(product, 'opera', 'full');
});
afterAll(async () => {
  await product?.stop();
  await product?.discard();
});

const must = async (client: Client, path: string, method = 'GET', body?: object): Promise<Json> => {
  const reply = await client(path, { method, ...(body && { body }) });
  if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.body.data;
};

test('in carts, orders and documents, also after the product has closed', async () => {
  const { productId, performanceId } = product.demo.fixtures.opera?.numbered ?? {};
  const [{ serviceHost, login, password, contactNumber }] = product.demo.users.filter(({ serviceHost: host }) =>
    product.demo.pointsOfSale.some((one) => one.serviceHost === host && one.institution === 'opera'),
  ) as [(typeof product.demo.users)[0]];
  const visitor = openVisitor(openClient(product.address), serviceHost);
  await must(visitor, '/tnwr/vexp/sessions', 'POST', { login, password });
  const shown = await must(full, `/svc/v3/catalog/products/${productId}`);
  const performance = await must(full, `/svc/v3/catalog/performances/${performanceId}`);
  const { seatCategories } = (await must(visitor, `/tnwr/vexp/products/${productId}?lang=fr`)).performances.find(
    ({ id }: { id: string }) => id === performanceId,
  );
  const [{ id: seatCategoryId, name: seatCategory, prices }] = seatCategories;
  const [{ tariffId, tariff }] = prices;
  const cart = await must(visitor, '/tnwr/vexp/shopping-cart/items?lang=fr', 'POST', {
    performanceId,
    seatCategoryId,
    tariffId,
  });
  const { venue, timeZone } = performance;
  const sold = {
    productName: shown.name.fr,
    startDate: performance.startDate,
    timeZone,
    venue: { name: venue.name, city: venue.city },
    seatCategory,
    tariff,
  };
  expect([cart.expired, ...Object.values(cart.items)]).toEqual([false, expect.objectContaining(sold)]);
  const bought = await must(visitor, '/tnwr/vexp/orders', 'POST', {
    contactNumber,
    paymentMethod: 'simulated',
    paymentToken: 'ok',
  });
  for (const state of ['suspended', 'closed'])
    await must(full, `/svc/v3/catalog/products/${productId}`, 'PATCH', { state });
  const order = await must(visitor, `/tnwr/vexp/orders/${bought.id}?lang=fr`);
  expect(Object.values(order.items)).toEqual([expect.objectContaining(sold)]);
  const [{ ticketId }] = Object.values(order.items) as [{ ticketId: string }];
  const document = (type: string) =>
    full(`/svc/v3/tickets/${ticketId}/document?lang=fr`, { headers: { accept: type } });
  const [pdf, svg] = [await document('application/pdf'), await document('image/svg+xml')];
  expect([pdf.headers['content-type'], pdf.bytes.subarray(0, 5).toString()]).toEqual(['application/pdf', '%PDF-']);
  expect(pdf.bytes.subarray(-6).toString()).toContain('%%EOF');
  const shop = await must(visitor, `/tnwr/vexp/tickets/${ticketId}/document?lang=fr`);
  expect([shop.contentType, Buffer.from(shop.base64, 'base64').equals(pdf.bytes)]).toEqual(['application/pdf', true]);
  expect(await must(visitor, `/tnwr/vexp/tickets/${ticketId}?lang=fr`)).toMatchObject(sold);
  expect(svg.headers['content-type']).toBe('image/svg+xml');
  expect(svg.headers['x-content-type-options']).toBe('nosniff');
  for (const text of [venue.name, seatCategory, tariff]) expect(svg.text).toContain(text);
});
