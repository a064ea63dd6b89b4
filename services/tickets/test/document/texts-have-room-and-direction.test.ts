import { acceptedTags } from '@boxoffice/http';
import { describe, expect, test } from '@jest/globals';
import { testVector } from '../../src/barcode/routes.ts';
import { type About, plain } from '../../src/document/about.ts';
import { layoutsOf } from '../../src/document/layout.ts';
import { linesOf, widthOf } from '../../src/document/letters/lines.ts';
import { pdfOf } from '../../src/document/pdf.ts';
import { speechOf } from '../../src/document/texts.ts';
import { renderPdf, scan } from './rendering.ts';

const long = (word: string) => Array.from({ length: 40 }, () => word).join(' ');

/** A document with the longest texts, and a code of the older, longer barcodes. */
const crowded: About = {
  language: 'de',
  institution: long('Gesellschaft'),
  title: long('Meistersinger'),
  when: long('Donnerstag'),
  venue: long('Konzertsaal'),
  entries: ['Kategorie', 'Platz', 'Name', 'Tarif', 'Preis'].map((name) => ({ name, value: long('山田Württemberg') })),
  barcode: `${testVector.barcode}${testVector.barcode}`.toLowerCase(),
  code: 'QR-Code',
  note: 'Einmal gültig.',
  number: 'Kartennummer tic_1',
  printedAt: '2031-01-01T00:00:00.000Z',
};

describe('the texts of a document', () => {
  test('are broken between words, end in … and never reach the code or one another', async () => {
    const [layout] = layoutsOf(plain(crowded));
    if (!layout) throw new Error('the document has no page');
    const { texts, code, height } = layout;
    for (const { x, room, y, size } of texts) expect([x + room < code.x, y + size < height]).toEqual([true, true]);
    for (const [index, text] of texts.entries()) {
      expect(widthOf(text.text, text)).toBeLessThanOrEqual(text.room);
      const inWay = texts
        .slice(index + 1)
        .filter(({ x, y }) => x === text.x && y > text.y - 1 && y < text.y + text.size);
      expect([text.text, inWay]).toEqual([text.text, []]);
    }
    expect(await scan(await renderPdf((await pdfOf(plain(crowded))).pdf, 2))).toEqual([crowded.barcode]);
  }, 300_000);

  test('lose nothing while there is room', () => {
    const font = { size: 10, isBold: false };
    expect(linesOf('  La Flûte\n enchantée ', 1_000, 2, font)).toEqual(['La Flûte enchantée']);
    expect(linesOf('La Flûte enchantée', 60, 3, font)).toEqual(['La Flûte', 'enchantée']);
    expect(linesOf('Donaudampfschifffahrt', 60, 9, font).join('')).toBe('Donaudampfschifffahrt');
    expect(linesOf('one two three four', 40, 2, font).at(-1)).toMatch(/…$/);
    expect(linesOf('', 40, 2, font)).toEqual([]);
  });
});

describe('the language of a document', () => {
  test.each([
    ['de-CH', ['fr', 'en'], 'de', 'de-CH'],
    ['ger', ['fr', 'en'], 'de', 'de'],
    ['it-u-ca-buddhist', ['fr'], 'it', 'it'],
    ['ar', ['ar'], 'en', 'en'],
    [undefined, ['fr', 'en'], 'fr', 'fr'],
    ['xx', ['fr', 'en'], 'en', 'en'],
    [undefined, ['fr', 'de'], 'fr', 'fr'],
    ['not a language', ['fr'], 'fr', 'fr'],
    [undefined, [], 'en', 'en'],
  ])('of %s and names in %j is %s, with dates as in %s', (lang, names, words, locale) => {
    const speech = speechOf(acceptedTags(lang), names);
    expect([speech.texts.language, speech.locale]).toEqual([words, locale]);
  });
});
