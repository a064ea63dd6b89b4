import { waitUntil } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { must as requireData, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const full = usePartner(product);

const must = (path: string, method?: string, body?: object) => requireData(full, path, method, body);

test('a reservation that is due before the hold ends gives its place to others at that instant', async () => {
  const { numbered } = product.demo.fixtures.opera ?? {};
  const path = `/svc/v3/catalog/performances/${numbered?.performanceId}`;
  const performance = await must(path);
  const [{ seatCategoryId, tariffId }] = performance.prices;
  const item = { performanceId: performance.id, seatCategoryId, tariffId };
  const { id, lines } = await must('/svc/v3/orders', 'POST', { items: [item] });
  const placeId = lines[0].place.id;
  const dueAt = new Date(Date.now() + 8_000).toISOString();
  await must(`/svc/v3/orders/${id}/reservation`, 'POST', { dueAt });
  // By the places alone: reading the order would end it.
  const isFree = async () => {
    const { items } = await must(`${path}/places?seatCategoryId=${seatCategoryId}&state=free&limit=500`);
    return items.some((place: { id: string }) => place.id === placeId);
  };
  expect(await isFree()).toBe(false);
  await waitUntil(isFree);
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(dueAt));
  const body = { items: [{ ...item, placeIds: [placeId] }] };
  const again = await full('/svc/v3/orders', { method: 'POST', body });
  expect(again.status).toBe(201);
  await must(`/svc/v3/orders/${again.body.data.id}/cancellation`, 'POST');
});
