// rule 2: On collections, `data` is a map from identifiers to records | services/pos/src/request/pagination.ts
// rule 4: `GET /products` takes `type`, `offset` (0), `limit` (20) | services/pos/src/products/routes.ts
// rule 4: Rule 1: HEAD is supported | gateway/src/routing/router.ts
// rule 8: 1: `offset` (default 0) and `limit` (default 20) | services/pos/src/request/pagination.ts
// rule 8: 2: `X-Total-Amount` is the total number of records | services/pos/src/request/pagination.ts
// rule 8: 3: `Link` has next, last, first and previous, each with the other parameters | services/pos/src/request/pagination.ts

import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { openFixture, PUBLIC_URL } from '../fixture/fixture.ts';

const fixture = useFixture(() => openFixture());
beforeAll(async () => {
  fixture.catalog.shows(254);
  fixture.catalog.shows(3, { type: 'pass' });
});

/** The links, and their offsets by relation. */
const linksOf = (headers: Headers) => {
  const links = (headers.get('link') ?? '').split(', ').map((link) => {
    const [, address = '', relation = ''] = /^<([^>]*)>; rel="(\w+)"$/.exec(link) ?? [];
    return { relation, url: new URL(address) };
  });
  const offsets = Object.fromEntries(
    links.map(({ relation, url }) => [relation, Number(url.searchParams.get('offset'))]),
  );
  return { links, offsets };
};

const page = (query: string, version: 'v1' | 'vexp' = 'v1') => fixture.call('GET', `/products?${query}`, { version });

describe('254 shows, ten per page', () => {
  test.each([
    [0, { next: 10, last: 250, first: 0, previous: 0 }],
    [10, { next: 20, last: 250, first: 0, previous: 0 }],
    [30, { next: 40, last: 250, first: 0, previous: 20 }],
    [240, { next: 250, last: 250, first: 0, previous: 230 }],
    [250, { next: 250, last: 250, first: 0, previous: 240 }],
    [5, { next: 15, last: 250, first: 0, previous: 0 }],
    [1_000, { next: 250, last: 250, first: 0, previous: 250 }],
  ])('at offset %i', async (offset, expected) => {
    const { headers } = await page(`type=show&limit=10&offset=${offset}`);
    expect(headers.get('x-total-amount')).toBe('254');
    expect(linksOf(headers).offsets).toEqual(expected);
  });

  test('the last page of a total that is a multiple of the limit is a whole one', async () => {
    const { headers } = await page('type=show&limit=2&offset=252');
    expect(linksOf(headers).offsets).toEqual({ next: 252, last: 252, first: 0, previous: 250 });
  });

  test('every link is absolute, has the public address, and repeats the other parameters', async () => {
    const { headers } = await page('type=show&limit=10&lang=de&utm_source=x%26y&offset=20');
    const { links } = linksOf(headers);
    expect(links.map(({ relation }) => relation)).toEqual(['next', 'last', 'first', 'previous']);
    for (const { url } of links) {
      expect(url.origin + url.pathname).toBe(`${PUBLIC_URL}/tnwr/v1/products`);
      expect(Object.fromEntries(url.searchParams)).toMatchObject({
        type: 'show',
        limit: '10',
        lang: 'de',
        utm_source: 'x&y',
      });
    }
    const experimental = await page('limit=10', 'vexp');
    expect(linksOf(experimental.headers).links[0]?.url.pathname).toBe('/tnwr/vexp/products');
  });

  test('the pages contain every record once, in a stable order', async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < 254; offset += 100)
      seen.push(...Object.keys((await page(`type=show&limit=100&offset=${offset}`)).data));
    expect(new Set(seen).size).toBe(254);
    expect(seen).toEqual([...seen].sort());
  });
});

test('the default is 20 records from the first one', async () => {
  const { data, headers } = await page('type=show');
  expect(Object.keys(data)).toHaveLength(20);
  expect(linksOf(headers).links[0]?.url.search).toBe('?type=show&offset=20&limit=20');
});

test.each([
  'limit=0',
  'limit=501',
  'limit=-1',
  'limit=1.5',
  'limit=ten',
  'limit=',
  'offset=-1',
  'offset=x',
  'limit=1&limit=2',
])('an invalid value is 400 invalid_parameter: %s', async (query) => {
  const { status, code } = await page(query);
  expect([status, code]).toEqual([400, 'invalid_parameter']);
});

test('an empty list has four links', async () => {
  const { data, headers } = await page('type=goods');
  expect([data, headers.get('x-total-amount')]).toEqual([{}, '0']);
  expect(linksOf(headers).offsets).toEqual({ next: 0, last: 0, first: 0, previous: 0 });
});

test('HEAD has the headers and no body', async () => {
  const { status, text, headers } = await fixture.call('HEAD', '/products?type=show&limit=10');
  expect([status, text, headers.get('x-total-amount')]).toEqual([200, '', '254']);
  expect(linksOf(headers).offsets.last).toBe(250);
});

test('a query that is too long for links is refused, and links contain no injected header', async () => {
  const { status, code } = await page(`junk=${'%3C'.repeat(1_000)}`);
  expect([status, code]).toEqual([400, 'invalid_parameter']);
  const { headers } = await page('junk=<b>,"&x=%0d%0aSet-Cookie:1');
  expect(linksOf(headers).links).toHaveLength(4);
  expect(headers.get('set-cookie')).toBeNull();
});
