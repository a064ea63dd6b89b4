import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { addInstitution, addPointOfSale, createTariff, startCatalog } from '../fixture/service.ts';

const catalog = useFixture(() => startCatalog());

test('the shops are the points of sale of all institutions that have a tariff and a payment method', async () => {
  const make = async (name: string, institution: string, more: object) => {
    const shown = { name, languages: ['fr'] };
    return { serviceHost: await addPointOfSale(catalog, { ...shown, ...more }, { institution }), ...shown };
  };
  const [one, other] = [await addInstitution(catalog.store), await addInstitution(catalog.store)];
  const [ofOne, ofOther] = [
    await createTariff(catalog, {}, { institution: one }),
    await createTariff(catalog, {}, { institution: other }),
  ];
  const shops = [
    await make('Opera', one, { tariffIds: [ofOne.id] }),
    await make('Museum', other, { tariffIds: [ofOther.id] }),
  ];
  await make('Nothing to sell', one, { tariffIds: [] });
  await make('No way to pay', one, { tariffIds: [ofOne.id], paymentMethods: [] });

  const { status, data } = await catalog.call<{ shops: object[] }>('GET', '/internal/shops', { service: 'pos' });
  expect(status).toBe(200);
  expect(data.shops).toHaveLength(shops.length);
  // Hosts, names and languages alone.
  expect(data.shops).toEqual(expect.arrayContaining(shops));
});
