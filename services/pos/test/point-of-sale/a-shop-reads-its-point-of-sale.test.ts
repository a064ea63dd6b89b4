import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture({ simulatedPayments: 'demo data' }));

const read = (host: string, version: 'v1' | 'vexp' = 'vexp') =>
  fixture.call('GET', '/point-of-sale', { host, version });

test('a point of sale without look and links has null, and null for each link', async () => {
  const { serviceHost } = fixture.catalog.pointOfSale({ demo: true });
  const { status, body, token } = await read(serviceHost);
  expect([status, token]).toEqual([200, null]);
  expect(body).toEqual({
    success: true,
    data: {
      serviceHost,
      name: 'Shop',
      languages: ['fr', 'en', 'de'],
      currency: 'CHF',
      maxPlacesPerOrder: 8,
      holdMinutes: 15,
      paymentMethods: ['on_account', 'external', 'simulated'],
      branding: null,
      links: { terms: null, privacy: null, contact: null },
    },
  });
});

test('look and links are as the institution set them', async () => {
  const colours = { accent: '#8c1d18', ink: '#1b1b1f', paper: '#fffdf8' };
  const branding = { colours, logo: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
  const links = { terms: 'https://a.example/terms', privacy: null, contact: 'mailto:a@a.example' };
  const { serviceHost } = fixture.catalog.pointOfSale({ branding, links });
  expect((await read(serviceHost)).data).toMatchObject({ branding, links });
});

test('a payment method that the checkout would refuse is not listed', async () => {
  const { serviceHost } = fixture.catalog.pointOfSale({ demo: false });
  expect((await read(serviceHost)).data.paymentMethods).toEqual(['on_account', 'external']);
});

test('it is 404 under v1, and needs its context', async () => {
  const { serviceHost } = fixture.catalog.pointOfSale();
  expect((await read(serviceHost, 'v1')).status).toBe(404);
  expect((await read('unknown.example')).code).toBe('context_invalid');
});
