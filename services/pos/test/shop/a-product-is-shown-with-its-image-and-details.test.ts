import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { getDrawnPage, getPage, readPageData } from './fixture.ts';

const its = useFixture(() => openFixture());

const image = { url: 'https://images.example:8443/tosca.jpg?w=1&h=2', alt: { en: 'Tosca & knife', fr: 'Tosca' } };
const details = { en: 'Sung in <Italian>.\n\nDoors open\nat seven.' };

/** A shop whose point of sale names these hosts, with one such product. */
const openShop = (imageHosts: string[], more: object = {}) => {
  const institution = `images-${its.catalog.pointOfSale({}).serviceHost}`;
  const { serviceHost } = its.catalog.pointOfSale({ institution, imageHosts, ...more });
  const { product } = its.catalog.show({ institution, image, details });
  const root = `${its.url}/shop/${serviceHost}`;
  return {
    product,
    list: () => getDrawnPage(`${root}/?lang=en`),
    show: () => getDrawnPage(`${root}/show/${product.id}?lang=en`),
    page: (path: string) => getPage(root + path),
  };
};

const policyOf = (headers: Headers, directive: string): string | undefined =>
  headers
    .get('content-security-policy')
    ?.split('; ')
    .find((one) => one.startsWith(`${directive} `));

describe('an image', () => {
  const src = 'src="https://images.example:8443/tosca.jpg?w=1&amp;h=2"';

  test('is on the page of its product with what it shows, in the list beside the name, and where the page is shared', async () => {
    const shop = openShop(['images.example:8443']);
    const { text } = await shop.show();
    expect(text).toContain(`<img class="poster" ${src} alt="Tosca &amp; knife"`);
    expect(text).toContain('<meta property="og:image" content="https://images.example:8443/tosca.jpg?w=1&amp;h=2">');
    expect(text).toContain('<meta property="og:image:alt" content="Tosca &amp; knife">');
    const {
      '@graph': [event],
    } = readPageData(text, 'ld\\+json"');
    expect(event.image).toEqual([image.url]);
    expect((await shop.list()).text).toContain(`<img class="poster" ${src} alt=""`);
  });

  test.each([
    ['no host', []],
    ['the host without its port', ['images.example']],
    ['another host', ['example']],
  ])('gives way to the poster where the point of sale names %s', async (_, hosts) => {
    const shop = openShop(hosts);
    for (const { text } of [await shop.show(), await shop.list()]) {
      expect(text).toContain(`data-poster="${shop.product.code}"`);
      expect(text).not.toMatch(/<img|og:image/);
    }
  });

  test('passes the content policy of exactly the hosts that are named, on every page of the shop', async () => {
    const [two, none] = [openShop(['images.example:8443', 'cdn.example']), openShop([])];
    for (const path of ['/', '/cart', '/account', `/show/${two.product.id}`, '/nowhere']) {
      const { headers } = await two.page(path);
      expect(policyOf(headers, 'img-src')).toBe("img-src 'self' https://images.example:8443 https://cdn.example");
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|\*|http:/);
    }
    expect(policyOf((await none.page('/')).headers, 'img-src')).toBe("img-src 'self'");
  });
});

test('details are paragraphs of the page, after what is sold', async () => {
  const { text } = await openShop([]).show();
  expect(text).toContain('<p>Sung in &lt;Italian&gt;.</p><p>Doors open\nat seven.</p>');
  expect(text.indexOf('Good to know')).toBeGreaterThan(text.indexOf('</header><section'));
});

describe('a frame', () => {
  const frameAncestors = ['https://www.opera.example', 'https://opera.example:8443'];
  const named = `frame-ancestors ${frameAncestors.join(' ')}`;

  test.each(['/', '/?type=pass', '/show/prd_1', '/cart', '/checkout'])(
    'of the origins that the point of sale names may show %s, of others none',
    async (path) => {
      const { headers } = await openShop([], { frameAncestors }).page(path);
      expect(policyOf(headers, 'frame-ancestors')).toBe(named);
      expect(headers.get('x-frame-options')).toBeNull();
      expect(policyOf((await openShop([]).page(path)).headers, 'frame-ancestors')).toBe("frame-ancestors 'none'");
    },
  );

  test.each(['/account', '/account/', '/order/ord_1', '/ticket-link', '/lost-link', '/show/', '/nowhere'])(
    'never shows where one logs in, nor orders and their links: %s',
    async (path) => {
      const { headers } = await openShop([], { frameAncestors }).page(path);
      expect(policyOf(headers, 'frame-ancestors')).toBe("frame-ancestors 'none'");
    },
  );
});
