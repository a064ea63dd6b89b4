import { describe, expect, test } from '@jest/globals';
import { Type } from 'typebox';
import {
  canonicaliseTag,
  createLanguageMapSchema,
  createLineSchema,
  createPatchSchema,
  languageTag,
  listAcceptedTags,
  matchTag,
  ok,
  operation,
  selectText,
  sortLanguages,
} from '../../src/index.ts';
import { openForSuite, start } from '../fixture.ts';

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
    expect(sortLanguages(lang, accept, languages)[0]).toBe(expected);
  });
});

test.each<[string | undefined, string | undefined, string[]]>([
  ['de', 'en', ['de-CH', 'en', 'fr']],
  [undefined, 'it, de;q=0.9, en;q=0.5', ['de-CH', 'en', 'fr']],
  [undefined, 'de;q=0.5, *;q=0.9', ['fr', 'en', 'de-CH']],
  ['it', undefined, ['fr', 'en', 'de-CH']],
])('with lang=%s and Accept-Language: %s texts are looked for in %j', (lang, accept, expected) => {
  expect(sortLanguages(lang, accept, languages)).toEqual(expected);
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
  expect(matchTag(tag, available)).toBe(found);
});

test('a text that is missing in the language is shown in the next one, else in the first that there is', () => {
  expect(selectText({ en: 'Play', de: 'Stück' }, ['fr', 'de', 'en'])).toBe('Stück');
  expect(selectText({ 'de-CH': 'Stück' }, ['de'])).toBe('Stück');
  expect(selectText({ it: 'Pezzo', es: 'Obra' }, ['fr'])).toBe('Pezzo');
  expect(selectText({}, ['fr'])).toBe('');
  expect(selectText('Kiosk', ['fr'])).toBe('Kiosk');
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
])('the canonical form of %s is %s', (tag, canonical) => expect(canonicaliseTag(tag)).toBe(canonical));

test('malformed tags, refused ones and the star are accepted by nobody', () => {
  expect(listAcceptedTags('fra', 'de_CH;q=0.2, *;q=0.1, en;q=0, it;q=0.9, %%')).toEqual(['fr', 'it', 'de-CH']);
  expect(listAcceptedTags('not a language')).toEqual([]);
});

const languageOf = (...[lang, acceptLanguage, configured]: Parameters<typeof sortLanguages>) =>
  sortLanguages(lang, acceptLanguage, configured)[0];

/** ISO 639-1 with the codes of 639-2, bibliographic and terminological, of the same language (Library of Congress). */
const LANGUAGES = `
aa aar, ab abk, af afr, ak aka, sq alb sqi, am amh, ar ara, an arg, hy arm hye, as asm, av ava, ae ave,
ay aym, az aze, ba bak, bm bam, eu baq eus, be bel, bn ben, bh bih, bi bis, bs bos, br bre, bg bul,
my bur mya, ca cat, ch cha, ce che, zh chi zho, cu chu, cv chv, kw cor, co cos, cr cre, cs cze ces, da dan,
dv div, nl dut nld, dz dzo, en eng, eo epo, et est, ee ewe, fo fao, fj fij, fi fin, fr fre fra, fy fry,
ff ful, ka geo kat, de ger deu, gd gla, ga gle, gl glg, gv glv, el gre ell, gn grn, gu guj, ht hat, ha hau,
he heb, hz her, hi hin, ho hmo, hr hrv, hu hun, ig ibo, is ice isl, io ido, ii iii, iu iku, ie ile, ia ina,
id ind, ik ipk, it ita, jv jav, ja jpn, kl kal, kn kan, ks kas, kr kau, kk kaz, km khm, ki kik, rw kin,
ky kir, kv kom, kg kon, ko kor, kj kua, ku kur, lo lao, la lat, lv lav, li lim, ln lin, lt lit, lb ltz,
lu lub, lg lug, mk mac mkd, mh mah, ml mal, mi mao mri, mr mar, ms may msa, mg mlg, mt mlt, mn mon, na nau,
nv nav, nr nbl, nd nde, ng ndo, ne nep, nn nno, nb nob, no nor, ny nya, oc oci, oj oji, or ori, om orm,
os oss, pa pan, fa per fas, pi pli, pl pol, pt por, ps pus, qu que, rm roh, ro rum ron, rn run, ru rus,
sg sag, sa san, si sin, sk slo slk, sl slv, se sme, sm smo, sn sna, sd snd, so som, st sot, es spa, sc srd,
sr srp, ss ssw, su sun, sw swa, sv swe, ty tah, ta tam, tt tat, te tel, tg tgk, tl tgl, th tha, bo tib bod,
ti tir, to ton, tn tsn, ts tso, tk tuk, tr tur, tw twi, ug uig, uk ukr, ur urd, uz uzb, ve ven, vi vie,
vo vol, cy wel cym, wa wln, wo wol, xh xho, yi yid, yo yor, za zha, zu zul
`
  .split(',')
  .map((codes) => codes.trim().split(' '));

test('the table has all 184 languages with a code of two letters', () => {
  expect(LANGUAGES).toHaveLength(184);
});

describe('a language is found', () => {
  test('by each of its codes, in lang and in Accept-Language, with a region and in any case', () => {
    for (const [code = '', ...others] of LANGUAGES)
      for (const other of [code, ...others])
        for (const tag of [other, other.toUpperCase(), `${other}-CH`]) {
          const configured = ['xx', code];
          expect([tag, languageOf(tag, undefined, configured)]).toEqual([tag, code]);
          expect([tag, languageOf(undefined, `qqq, ${tag};q=0.5`, configured)]).toEqual([tag, code]);
        }
  });

  test('by its code of two letters if a point of sale is configured with three', () => {
    expect(languageOf('de-AT', undefined, ['fr', 'deu'])).toBe('deu');
    expect(languageOf('ger', undefined, ['fr', 'deu-CH'])).toBe('deu-CH');
  });

  test('by a code of ISO 639-2 or 639-3 only', () => {
    expect(languageOf('gsw-CH', undefined, ['de', 'gsw'])).toBe('gsw');
    expect(languageOf('gsw', undefined, ['fr', 'de'])).toBe('fr');
  });
});

test.each(['zzz', 'und', 'x', 'abcd', '42', 'de!', '-', '_', 'a'.repeat(10_000), 'deu'.repeat(40), '%', '\u0000'])(
  'an unknown language is no error: %j',
  (lang) => {
    expect(languageOf(lang, undefined, ['fr', 'de'])).toBe('fr');
    expect(languageOf(lang, 'ger', ['fr', 'de'])).toBe('de');
  },
);

const body = Type.Object({
  language: Type.Optional(languageTag),
  languages: Type.Optional(Type.Array(languageTag, { uniqueItems: true })),
  name: Type.Optional(createLanguageMapSchema(createLineSchema({ maxLength: 20 }))),
});

const shape = {
  access: 'notes:write',
  path: '/texts',
  summary: 'Takes texts',
  answers: { 200: Type.Unknown() },
  example: { body: {}, answer: {} },
  handle: ({ body: taken }: { readonly body: unknown }) => ok<unknown>(taken),
} as const;
const app = openForSuite(() =>
  start([
    operation({ ...shape, id: 'take', method: 'post', body }),
    operation({ ...shape, id: 'change', method: 'patch', body: createPatchSchema(body) }),
  ]),
);

const send = async (method: 'POST' | 'PATCH', value: object) => {
  const as = { operation: method === 'POST' ? 'take' : 'change', scopes: ['notes:write'] };
  const answer = await app.call('/texts', { as, method, body: JSON.stringify(value) });
  return (await answer.json()) as { status: string; details: string | null; data: object };
};

test.each([
  [{ language: 'deu' }, { language: 'de' }],
  [{ languages: ['iw', 'PT-br', 'zh-hant'] }, { languages: ['he', 'pt-BR', 'zh-Hant'] }],
  [{ name: { deu: ' Stück ', 'fr-ch': 'Pièce' } }, { name: { de: 'Stück', 'fr-CH': 'Pièce' } }],
])('%j is taken as %j', async (given, taken) => {
  expect((await send('POST', given)).data).toEqual(taken);
  expect((await send('PATCH', given)).data).toEqual(taken);
});

test('a change of a text removes a language by any of its codes', async () => {
  expect((await send('PATCH', { name: { deu: null, iw: 'x' } })).data).toEqual({ name: { de: null, he: 'x' } });
});

test.each([
  [{ language: 'German' }, '$.language must be a language tag (BCP 47), such as fr, pt-BR or zh-Hant.'],
  [{ language: 'ca-valencia' }, '$.language must be a language tag (BCP 47), such as fr, pt-BR or zh-Hant.'],
  [{ languages: ['de', 'deu'] }, '$.languages must not have the same item twice.'],
  [{ name: { de: 'a', deu: 'b' } }, '$.name must not have a language twice.'],
  [{ name: { 'de-CH-1996': 'a' } }, '$.name.de-CH-1996 is not a known field.'],
])('%j is refused', async (given, details) => {
  expect(await send('POST', given)).toMatchObject({ status: 'validation_error', details });
});
