import { randomUUID } from 'node:crypto';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { waitUntil } from '../fixture/fixture.ts';
import { announce, openMailing, readHtml, readText, sell } from './fixture.ts';

const fixture = useFixture(() => openMailing());

const url = 'https://images.example/tosca.jpg?w=1&h=2';
const product = {
  image: { url, alt: { fr: 'Tosca & couteau', en: 'Tosca & knife' } },
  details: { fr: 'Ouverture à <sept> heures.\n\nEn italien.', en: 'Doors open at seven.' },
};

/** The mail of an order of such a product, where the point of sale names these hosts. */
const writeMail = async (imageHosts: string[], more: object = product) => {
  const email = `${randomUUID()}@example.org`;
  const { performanceId, seatCategoryId } = fixture.catalog.show(more);
  fixture.catalog.change(fixture.pointOfSale.serviceHost, { imageHosts });
  const { serviceHost: host } = fixture.pointOfSale;
  // A changed point of sale counts within three seconds.
  await waitUntil(async () => {
    const { headers } = await fetch(`${fixture.url}/shop/${host}/cart`);
    return headers.get('content-security-policy')?.includes('https://images.example') === imageHosts.length > 0;
  });
  const { id } = await sell(fixture, { email, first: { performanceId, seatCategoryId } });
  await announce(fixture, id, 'order.confirmed');
  await waitUntil(() => fixture.server.received.some(({ to }) => to === email));
  const mail = fixture.server.received.find(({ to }) => to === email);
  if (!mail) throw new Error('no mail came');
  return { html: readHtml(mail), text: readText(mail) };
};

test('the mail of an order shows image and details of what was bought, in its language, all of it escaped', async () => {
  const { html, text } = await writeMail(['images.example']);
  expect(html).toContain('<img src="https://images.example/tosca.jpg?w=1&amp;h=2" alt="Tosca &amp; couteau"');
  expect(html).toContain('Ouverture à &lt;sept&gt; heures.</p>');
  expect(text).toMatch(/^Ouverture à <sept> heures\.\r?\n\r?\nEn italien\.$/m);
});

test('it loads nothing from a host that the point of sale does not name, and has no gap without details', async () => {
  const { html, text } = await writeMail([], { image: product.image });
  expect(html).not.toMatch(/<img|images\.example/);
  expect(text).not.toMatch(/\n\r?\n\r?\n/);
});
