import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { languageOf, textIn } from '../../src/domain/language.ts';
import type { Show } from '../fixture/catalog.ts';
import { type Fixture, openFixture } from '../fixture/fixture.ts';

const languages = ['fr', 'en', 'de-CH'];

describe('lang wins, then Accept-Language by its q-values, then the first configured language', () => {
  test.each<[string | undefined, string | undefined, string]>([
    ['en', 'fr', 'en'],
    ['EN', undefined, 'en'],
    ['en-GB', undefined, 'en'],
    ['de', undefined, 'de-CH'],
    ['de_AT', undefined, 'de-CH'],
    ['it', 'en', 'en'],
    ['', 'en', 'en'],
    ['it', 'it', 'fr'],
    ['fr\r\nX-Evil: 1', 'en', 'en'],
    [undefined, undefined, 'fr'],
    [undefined, 'en;q=0.5, de;q=0.9', 'de-CH'],
    [undefined, 'it, en;q=0.1', 'en'],
    [undefined, 'fr;q=0, *', 'en'],
    [undefined, '*', 'fr'],
    [undefined, 'en;q=0', 'fr'],
    [undefined, 'en;q=2, de', 'de-CH'],
    [undefined, ';;;,,,q=1', 'fr'],
    [undefined, 'en-US,en;q=0.9,fr;q=0.8', 'en'],
  ])('lang=%s, Accept-Language: %s → %s', (lang, accept, expected) => {
    expect(languageOf(lang, accept, languages)).toBe(expected);
  });
});

test('a text that is missing in the language is shown in the first available other one', () => {
  expect(textIn({ en: 'Play', de: 'Stück' }, 'fr', ['fr', 'de', 'en'])).toBe('Stück');
  expect(textIn({ 'de-CH': 'Stück' }, 'de')).toBe('Stück');
  expect(textIn({ it: 'Pezzo' }, 'fr', ['fr'])).toBe('Pezzo');
});

describe('over HTTP', () => {
  let fixture: Fixture;
  let show: Show;
  beforeAll(async () => {
    fixture = await openFixture();
    show = fixture.catalog.show();
  });
  afterAll(() => fixture.close());

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
