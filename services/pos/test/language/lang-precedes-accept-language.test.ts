// rule 4: Rule 8: `lang`, then `Accept-Language`, then the default language | libs/http/src/locale/languages.ts

import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Show } from '../fixture/catalog.ts';
import { openFixture } from '../fixture/fixture.ts';

describe('over HTTP', () => {
  const fixture = useFixture(() => openFixture());
  let show: Show;
  beforeAll(async () => {
    show = fixture.catalog.show();
  });

  const nameIn = async (query: string, headers = {}) => {
    const { data, headers: given } = await fixture.call('GET', `/products/${show.product.id}${query}`, { headers });
    return [data.name, given.get('content-language')];
  };

  test('texts are in the language of Content-Language', async () => {
    expect(await nameIn('')).toEqual(['Pièce', 'fr']);
    expect(await nameIn('?lang=en')).toEqual(['Play', 'en']);
    expect(await nameIn('?lang=de-CH')).toEqual(['Stück', 'de']);
    expect(await nameIn('', { 'accept-language': 'nl, en;q=0.5' })).toEqual(['Play', 'en']);
    expect(await nameIn('?lang=de&lang=en')).toEqual(['Stück', 'de']);
    expect(await nameIn('?lang=xx', { 'accept-language': 'en' })).toEqual(['Play', 'en']);
  });

  test("a text without the answer's language is in the next that the visitor accepts, else in the institution's first", async () => {
    const nameOf = async (name: Readonly<Record<string, string>>, headers = {}) => {
      const { product } = fixture.catalog.show({ name });
      return (await fixture.call('GET', `/products/${product.id}`, { headers })).data.name;
    };
    const accepted = { 'accept-language': 'fr, de;q=0.5' };
    expect(await nameOf({ en: 'Play', de: 'Stück' }, accepted)).toBe('Stück');
    expect(await nameOf({ en: 'Play', de: 'Stück' })).toBe('Play');
    expect(await nameOf({ es: 'Obra', it: 'Pezzo' }, accepted)).toBe('Pezzo');
  });

  test('Vary names the headers that an answer depends on', async () => {
    const { headers } = await fixture.call('GET', '/products');
    expect(headers.get('vary')).toContain('Accept-Language, X-Service-Host');
    const refused = await fixture.call('GET', '/products', { host: null });
    expect(refused.headers.get('vary')).toContain('X-Service-Host');
  });

  test('the value of lang reaches no header', async () => {
    const { status, headers } = await fixture.call('GET', `/products?lang=${encodeURIComponent('en\r\nX-Evil: 1')}`);
    expect([status, headers.get('x-evil'), headers.get('content-language')]).toEqual([200, null, 'fr']);
  });
});
