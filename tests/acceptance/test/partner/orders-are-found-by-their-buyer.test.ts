import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { must as requireData, usePartner, useSharedProduct } from '../product.ts';

const product = useSharedProduct();
const full = usePartner(product);

const must = (path: string, method?: string, body?: object) => requireData(full, path, method, body);

test('orders are found by number, reference, name, email and performance, until the contact is erased', async () => {
  const { numbered } = product.demo.fixtures.opera ?? {};
  const performance = await must(`/svc/v3/catalog/performances/${numbered?.performanceId}`);
  const [{ seatCategoryId, tariffId }] = performance.prices;
  const own = randomUUID();
  const email = `${own}@example.org`;
  const people = [];
  for (const query of ['', '?allowDuplicateEmail=true'])
    people.push(
      (await must(`/svc/v3/contacts/individuals${query}`, 'POST', { lastName: `Łukić ${own}`, email })).contactNumber,
    );
  const orders = [];
  for (const contactNumber of people) {
    const items = [{ performanceId: performance.id, seatCategoryId, tariffId }];
    orders.push(await must('/svc/v3/orders', 'POST', { contactNumber, externalReference: `ref ${own}`, items }));
  }
  const ids = orders.map(({ id }) => id);
  const found = async (query: { readonly [name: string]: string }): Promise<string[]> =>
    (await must(`/svc/v3/orders?${new URLSearchParams(query)}`)).items.map(({ id }: { id: string }) => id);
  for (const [name, value] of [
    ['email', email],
    ['q', `LUKIC ${own.slice(0, 12)}`],
    ['q', `ref ${own}`],
  ] as const)
    expect(await found({ [name]: value })).toEqual(ids);
  expect(await found({ q: String(orders[1].number).toUpperCase() })).toEqual([ids[1]]);
  expect(await found({ performanceId: performance.id, email })).toEqual(ids);
  expect((await must(`/svc/v3/contacts/individuals?q=${own}`)).items).toHaveLength(2);
  for (const number of people) await must(`/svc/v3/contacts/individuals/${number}`, 'DELETE');
  for (const [name, value] of [
    ['email', email],
    ['q', `lukic ${own}`],
  ] as const)
    expect(await found({ [name]: value })).toEqual([]);
  for (const id of ids) await must(`/svc/v3/orders/${id}/cancellation`, 'POST');
});
