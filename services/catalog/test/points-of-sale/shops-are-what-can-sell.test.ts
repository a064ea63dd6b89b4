import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { addInstitution, createTariff, startCatalog } from '../fixture/service.ts';

const catalog = useFixture(() => startCatalog());

test('the shops are the points of sale of all institutions that have a tariff and a payment method', async () => {
  const make = async (name: string, institution: string, more: object): Promise<string> => {
    const serviceHost = `${randomUUID()}.example`;
    const body = {
      serviceHost,
      name,
      languages: ['fr'],
      currency: 'CHF',
      maxPlacesPerOrder: 8,
      holdMinutes: 15,
      ...more,
    };
    const { status } = await catalog.call('POST', '/svc/v3/catalog/points-of-sale', { body, institution });
    expect(status).toBe(201);
    return serviceHost;
  };
  const [one, other] = [await addInstitution(catalog.store), await addInstitution(catalog.store)];
  const [ofOne, ofOther] = [
    await createTariff(catalog, {}, { institution: one }),
    await createTariff(catalog, {}, { institution: other }),
  ];
  const paymentMethods = ['external'];
  const shops = [
    {
      serviceHost: await make('Opera', one, { tariffIds: [ofOne.id], paymentMethods }),
      name: 'Opera',
      languages: ['fr'],
    },
    {
      serviceHost: await make('Museum', other, { tariffIds: [ofOther.id], paymentMethods }),
      name: 'Museum',
      languages: ['fr'],
    },
  ];
  await make('Nothing to sell', one, { tariffIds: [], paymentMethods });
  await make('No way to pay', one, { tariffIds: [ofOne.id], paymentMethods: [] });

  const { status, data } = await catalog.call<{ shops: object[] }>('GET', '/internal/shops', { service: 'pos' });
  expect(status).toBe(200);
  expect(data.shops).toHaveLength(shops.length);
  // Hosts, names and languages alone.
  expect(data.shops).toEqual(expect.arrayContaining(shops));
});
