import { describe, expect, test } from '@jest/globals';
import { acceptedTags, canonicalTag, languagesFor, matchingTag, textIn } from '../../src/index.ts';

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
    expect(languagesFor(lang, accept, languages)[0]).toBe(expected);
  });
});

test.each<[string | undefined, string | undefined, string[]]>([
  ['de', 'en', ['de-CH', 'en', 'fr']],
  [undefined, 'it, de;q=0.9, en;q=0.5', ['de-CH', 'en', 'fr']],
  [undefined, 'de;q=0.5, *;q=0.9', ['fr', 'en', 'de-CH']],
  ['it', undefined, ['fr', 'en', 'de-CH']],
])('with lang=%s and Accept-Language: %s texts are looked for in %j', (lang, accept, expected) => {
  expect(languagesFor(lang, accept, languages)).toEqual(expected);
});

test.each([
  ['pt-PT', ['pt-BR', 'pt'], 'pt'],
  ['pt-PT', ['fr', 'pt-BR'], 'pt-BR'],
  ['es-MX', ['es-ES', 'es-419', 'es'], 'es'],
  ['zh-TW', ['zh-Hans', 'zh-Hant'], 'zh-Hant'],
  ['zh-TW', ['zh', 'zh-Hant-HK'], 'zh-Hant-HK'],
  ['zh-CN', ['zh-Hant', 'zh-Hans'], 'zh-Hans'],
  ['zh', ['zh-Hant', 'zh-Hans'], 'zh-Hans'],
  ['zh-TW', ['en', 'zh-Hans'], 'zh-Hans'],
  ['sr-Latn', ['sr', 'sr-Latn-ME'], 'sr-Latn-ME'],
  ['iw', ['ar', 'he'], 'he'],
  ['gsw', ['de'], undefined],
  ['', ['de'], undefined],
])('a reader of %s with texts in %j gets %s', (tag, available, found) => {
  expect(matchingTag(tag, available)).toBe(found);
});

test('a text that is missing in the language is shown in the next one, else in the first that there is', () => {
  expect(textIn({ en: 'Play', de: 'Stück' }, ['fr', 'de', 'en'])).toBe('Stück');
  expect(textIn({ 'de-CH': 'Stück' }, ['de'])).toBe('Stück');
  expect(textIn({ it: 'Pezzo', es: 'Obra' }, ['fr'])).toBe('Pezzo');
  expect(textIn({}, ['fr'])).toBe('');
});

test.each([
  ['deu', 'de'],
  ['iw', 'he'],
  ['PT-br', 'pt-BR'],
  ['zh-hant', 'zh-Hant'],
  ['es-419', 'es-419'],
  ['de-u-co-phonebk', 'de'],
  ['de_CH', undefined],
  ['nonsense-', undefined],
  ['d'.repeat(65), undefined],
])('the canonical form of %s is %s', (tag, canonical) => expect(canonicalTag(tag)).toBe(canonical));

test('malformed tags, refused ones and the star are accepted by nobody', () => {
  expect(acceptedTags('fra', 'de_CH;q=0.2, *;q=0.1, en;q=0, it;q=0.9, %%')).toEqual(['fr', 'it', 'de-CH']);
  expect(acceptedTags('not a language')).toEqual([]);
});
