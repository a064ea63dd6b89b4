import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PDFiumLibrary } from '@hyzyla/pdfium';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import type { About } from '../../src/document/about.ts';

/** Grey values, a byte each, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly grey: Uint8Array;
}

const { resolve } = createRequire(import.meta.url);

// Looked up once: within a test each global name costs more than what is done with it, millions of times.
const { round } = Math;

/** A page of a document, as PDFium draws it and extracts its text. */
interface Page extends Picture {
  /** `#rrggbb` of a point, given in points from the top left. */
  colourAt(x: number, y: number): string;
  readonly text: string;
}

/** The pages of a PDF, by PDFium, the renderer of Chromium. `scale` 1 is 72 dpi. */
export async function renderPdfPages(pdf: Buffer, scale = 1): Promise<Page[]> {
  const library = await PDFiumLibrary.init();
  try {
    const document = await library.loadDocument(pdf);
    const pages: Page[] = [];
    for (const page of document.pages()) {
      // Rendering closes the page.
      const text = page.getText();
      const { width, height, data } = await page.render({ scale, render: 'bitmap' });
      const grey = new Uint8Array(width * height);
      const byteAt = (at: number): number => data[at] ?? 0;
      for (let at = 0; at < grey.length; at += 1)
        grey[at] = round((byteAt(4 * at) + byteAt(4 * at + 1) + byteAt(4 * at + 2)) / 3);
      const colourAt: Page['colourAt'] = (x, y) => {
        const at = 4 * (Math.round(y * scale) * width + Math.round(x * scale));
        return `#${Buffer.from(data.subarray(at, at + 3)).toString('hex')}`;
      };
      pages.push({ width, height, grey, colourAt, text });
    }
    document.destroy();
    return pages;
  } finally {
    library.destroy();
  }
}

/** Renders the only page of a PDF. */
export async function renderPdf(pdf: Buffer, scale?: number): Promise<Page> {
  const [page, ...others] = await renderPdfPages(pdf, scale);
  if (!page || others.length > 0) throw new Error(`the document has ${others.length + 1} pages`);
  return page;
}

/** A plain document of a ticket, without a store. */
export function createAbout(members: Partial<About> = {}): About {
  return {
    language: 'en',
    institution: null,
    seller: null,
    title: 'The Magic Flute',
    when: null,
    venue: null,
    entries: [{ name: 'Place', value: 'A 1' }],
    barcode: 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789',
    code: 'QR code',
    note: 'Show this code at the door.',
    number: 'Ticket tic_1',
    printedAt: '2031-01-01T00:00:00.000Z',
    ...members,
  };
}

/** Paints the code of an SVG document, `pixels` for each module: the runs of its path, each `Mx yhNv1h-Nz`. */
export function renderCodeOfSvg(svg: string, pixels: number): Picture {
  const [code = ''] = /<svg x=.*<\/svg>/s.exec(svg) ?? [];
  const side = Number(/viewBox="0 0 (\d+) \d+"/.exec(code)?.[1]);
  if (!(Number(/\bwidth="([\d.]+)"/.exec(code)?.[1]) > 0 && side > 0)) throw new Error('the document has no code');
  const width = side * pixels;
  const grey = new Uint8Array(width * width).fill(255);
  for (const [, x, y, run, back] of code.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    if (run !== back) throw new Error('a run of the code is not closed');
    for (let row = Number(y) * pixels; row < (Number(y) + 1) * pixels; row += 1)
      grey.fill(0, row * width + Number(x) * pixels, row * width + (Number(x) + Number(run)) * pixels);
  }
  return { width, height: width, grey };
}

/** The picture out of focus: each pixel is the mean of the square around it. */
export function blur({ width, height, grey }: Picture, radius: number): Picture {
  const lines = meansAlong(Float64Array.from(grey), [height, width], radius);
  const means = meansAlong(lines, [width, height], radius);
  return { width, height, grey: Uint8Array.from(means, Math.round) };
}

/** The means of `count` lines of `length` values, each over the values that are at most `radius` before or after it. */
const meansAlong = (values: Float64Array, [count, length]: readonly [number, number], radius: number): Float64Array => {
  // Transposed, so that the second call runs along the other side.
  const means = new Float64Array(values.length);
  for (let line = 0; line < count; line += 1) {
    const at = line * length;
    let sum = 0;
    let wide = 0;
    for (let place = -radius; place < length; place += 1) {
      const [next, last] = [place + radius, place - radius - 1];
      if (next < length) [sum, wide] = [sum + (values[at + next] ?? 0), wide + 1];
      if (last >= 0) [sum, wide] = [sum - (values[at + last] ?? 0), wide - 1];
      if (place >= 0) means[place * count + line] = sum / wide;
    }
  }
  return means;
};

let prepared: Promise<unknown> | undefined;

/** The texts of the QR codes in a picture, as ZXing reads them, the decoder of many scanners. */
export async function scan({ width, height, grey }: Picture): Promise<string[]> {
  prepared ??= readFile(resolve('zxing-wasm/reader/zxing_reader.wasm')).then((file) =>
    prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(file).buffer }, fireImmediately: true }),
  );
  await prepared;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let at = 0; at < grey.length; at += 1) data.fill(grey[at] ?? 255, 4 * at, 4 * at + 3);
  const image = { width, height, data, colorSpace: 'srgb' } as unknown as Parameters<typeof readBarcodes>[0];
  const found = await readBarcodes(image, { formats: ['QRCode'], tryHarder: true });
  return found.filter(({ isValid }) => isValid).map(({ text }) => text);
}
