import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { listAcceptedTags } from '@boxoffice/http';
import { useFixture } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';
import { create } from 'fontkit';
import { testVector } from '../../src/barcode/routes.ts';
import { createPlainContent } from '../../src/document/about.ts';
import { createDrawing } from '../../src/document/drawing.ts';
import { createLayouts } from '../../src/document/layout/tickets.ts';
import { createFonts, readFontFile } from '../../src/document/letters/fonts.ts';
import { breakLines, isRightToLeft, measureWidth, splitRuns } from '../../src/document/letters/lines.ts';
import { placeLine } from '../../src/document/letters/pieces.ts';
import { drawPdf } from '../../src/document/pdf.ts';
import { drawSvg } from '../../src/document/svg.ts';
import { selectSpeech } from '../../src/document/texts.ts';
import { documentRequest, shopTicket } from '../../src/examples.ts';
import { openFixture, PATH } from '../fixture/service.ts';
import { addMembers, createConfirmedOrder, issueAndPrint } from '../fixture/tickets.ts';
import { createAbout, renderPdf, scan } from './rendering.ts';

const { resolve } = createRequire(import.meta.url);
const folderOf = (name: string): string => join(dirname(resolve(`@fontsource/${name}/package.json`)), 'files');
const thai = folderOf('noto-sans-thai');
const arabic = folderOf('noto-sans-arabic');

const THAI = 'โรงละคร';
const about = createAbout({ title: THAI });

/** The letters of the glyphs of a line from left to right, as fontkit lays them out; joined forms as their letters. */
const glyphsOf = async (line: string, folder?: string): Promise<string> => {
  const style = { isBold: false, fromRight: isRightToLeft(line) };
  const { pieces } = await placeLine(createFonts(folder), line, style);
  const laid = pieces.map(async ({ text, face }) => {
    const font = create(await readFontFile(face.file));
    if ('fonts' in font) throw new Error('a collection');
    return font
      .layout(text)
      .glyphs.map(({ codePoints }) => String.fromCodePoint(...codePoints))
      .join('');
  });
  return (await Promise.all(laid)).join('').normalize('NFKC');
};

describe('a line stands in the order of the Unicode Bidirectional Algorithm', () => {
  test.each([
    ['only Latin (1)', 'only Latin (1)'],
    ['שלום', 'םולש'],
    ['מחיר מלא 26', '26 אלמ ריחמ'],
    ['Ana שלום 12', 'Ana 12 םולש'],
    ['הצגה (אולם 12)', '(12 םלוא) הגצה'],
    ['קאסה: 1234', '1234 :הסאק'],
    ['سالن ۱۲۳۴', '۱۲۳۴ نلاس'],
    ['قاعة ١٢', '١٢ ةعاق'],
    ['12 (3) א', 'א (3) 12'],
    ['Opéra [שלום] 5', 'Opéra [םולש] 5'],
  ])('%s', async (line, seen) => {
    expect(await glyphsOf(line)).toBe(seen);
  });

  test('a line has the direction of its paragraph', () => {
    const texts = (fromRight: boolean) => splitRuns('La Flûte: שלום', fromRight).map(({ text }) => text);
    expect(texts(false)).toEqual(['La Flûte: ', 'שלום']);
    expect(texts(true)).toEqual([': שלום', 'La Flûte']);
    expect(drawSvg(createPlainContent({ ...about, title: 'שלום (1)' })).toString()).toContain(
      'direction="rtl" text-anchor="end">שלום (1)<',
    );
    expect(drawSvg(createPlainContent(about)).toString()).not.toContain('direction=');
  });

  test('marks of direction do their work and are not drawn', () => {
    expect(splitRuns('\u200fABC!').map(({ text }) => text)).toEqual(['!', 'ABC']);
  });
});

describe('letters that the fonts of the product lack', () => {
  test('are in a font of TICKET_FONTS_DIR, also in the text of the PDF', async () => {
    const { pdf, missing } = await drawPdf(createPlainContent(about), createFonts(thai));
    expect(missing).toEqual([]);
    expect((await renderPdf(pdf)).text).toContain(THAI);
  }, 300_000);

  test('join with the others of their word, in one font', async () => {
    const style = { isBold: false, fromRight: true };
    const { pieces, missing } = await placeLine(createFonts(arabic), 'ہال', style);
    expect(missing).toEqual([]);
    expect(pieces.map(({ text, face }) => [text, face.weight, face.file.startsWith(arabic)])).toEqual([
      ['ہال', 400, true],
    ]);
  });

  test.each([
    ['no folder', undefined],
    ['a folder that is missing', join(thai, 'missing')],
    ['other fonts', arabic],
  ])(
    'are named by their script with %s',
    async (_what, folder) => {
      const { missing } = await drawPdf(createPlainContent({ ...about, institution: '魔笛 🎭' }), createFonts(folder));
      expect(missing).toEqual(['Han (U+9B54)', 'symbols (U+1F3AD)', 'Thai (U+0E42)']);
    },
    300_000,
  );

  test('are reported in the log, each script once', async () => {
    const warnings: string[] = [];
    const logger = { warn: (_message: string, { reason = '' } = {}) => warnings.push(reason) };
    const drawing = createDrawing({ fontsDirectory: arabic, logger });
    for (const number of ['1', '2']) await drawing.draw(createPlainContent({ ...about, number }));
    await drawing.close();
    expect(warnings).toEqual([expect.stringMatching(/^Thai \(U\+0E42\).*noto-sans-arabic/)]);
  }, 300_000);
});

describe('the document of a ticket with letters that no font has', () => {
  const fixture = useFixture(() => openFixture());

  test('is a PDF that links to the SVG; a shop gets the SVG at once', async () => {
    const sold = { ...shopTicket.about, product: { th: THAI } };
    const { id } = await issueAndPrint(fixture, addMembers(createConfirmedOrder(), { about: sold }));
    const path = `${PATH}/${id}/document`;
    const pdf = await fixture.call('GET', `${path}?lang=fr-CH`);
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf']);
    expect(pdf.headers.get('link')).toBe('<document?lang=fr-CH>; rel="alternate"; type="image/svg+xml"');
    const svg = await fixture.call('GET', path, { headers: { accept: 'image/svg+xml' } });
    expect([svg.text.includes(THAI), svg.headers.get('link')]).toEqual([true, null]);
    const body = { ...documentRequest, ticketIds: [id] };
    const shop = await fixture.call('POST', '/internal/shop/documents', { body });
    expect(shop.data).toMatchObject({ contentType: 'image/svg+xml' });
  }, 300_000);
});

const long = (word: string) => Array.from({ length: 40 }, () => word).join(' ');

/** A document with the longest texts, and a code of the older, longer barcodes. */
const crowded = createAbout({
  language: 'de',
  institution: long('Gesellschaft'),
  title: long('Meistersinger'),
  when: long('Donnerstag'),
  venue: long('Konzertsaal'),
  entries: ['Kategorie', 'Platz', 'Name', 'Tarif', 'Preis'].map((name) => ({ name, value: long('山田Württemberg') })),
  barcode: `${testVector.barcode}${testVector.barcode}`.toLowerCase(),
});

describe('the texts of a document', () => {
  test('are broken between words, end in … and never reach the code or one another', async () => {
    const [layout] = createLayouts(createPlainContent(crowded));
    if (!layout) throw new Error('the document has no page');
    const { texts, code, height } = layout;
    for (const { x, room, y, size } of texts)
      expect([x + room < (code?.x ?? 0), y + size < height]).toEqual([true, true]);
    for (const [index, text] of texts.entries()) {
      expect(measureWidth(text.text, text)).toBeLessThanOrEqual(text.room);
      const inWay = texts
        .slice(index + 1)
        .filter(({ x, y }) => x === text.x && y > text.y - 1 && y < text.y + text.size);
      expect([text.text, inWay]).toEqual([text.text, []]);
    }
    expect(await scan(await renderPdf((await drawPdf(createPlainContent(crowded))).pdf, 2))).toEqual([crowded.barcode]);
  }, 300_000);

  test('lose nothing while there is room', () => {
    const font = { size: 10, isBold: false };
    expect(breakLines('  La Flûte\n enchantée ', 1_000, 2, font)).toEqual(['La Flûte enchantée']);
    expect(breakLines('La Flûte enchantée', 60, 3, font)).toEqual(['La Flûte', 'enchantée']);
    expect(breakLines('Donaudampfschifffahrt', 60, 9, font).join('')).toBe('Donaudampfschifffahrt');
    expect(breakLines('one two three four', 40, 2, font).at(-1)).toMatch(/…$/);
    expect(breakLines('', 40, 2, font)).toEqual([]);
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
    const speech = selectSpeech(listAcceptedTags(lang), names);
    expect([speech.texts.language, speech.locale]).toEqual([words, locale]);
  });
});
