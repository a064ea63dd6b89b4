import { describe, expect, test } from '@jest/globals';
import { languagesFor } from '../../src/index.ts';

const languageOf = (...[lang, acceptLanguage, configured]: Parameters<typeof languagesFor>) =>
  languagesFor(lang, acceptLanguage, configured)[0];

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
