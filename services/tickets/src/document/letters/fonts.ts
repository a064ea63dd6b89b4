// The letters of a document: fonts that have them, their order, and their room.

import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import type { Font } from 'fontkit';
import { LRUCache } from 'lru-cache';
import { sfntOf } from './sfnt.ts';

const { resolve } = createRequire(import.meta.url);

/** One font of a file. */
export interface Face {
  readonly file: string;
  /** Its name among the fonts of a collection; undefined if the file has only this one. */
  readonly member: string | undefined;
  /** 400 is regular, 700 bold. */
  readonly weight: number;
  has(codePoint: number): boolean;
}

const REGULAR = 400;
const BOLD = 700;
const FORMATS = new Set(['.ttf', '.otf', '.ttc', '.otc', '.woff']);

const read = async (file: string): Promise<Buffer> => {
  const content = await readFile(file);
  return extname(file).toLowerCase() === '.woff' ? sfntOf(content) : content;
};

// By bytes: a font of Chinese and Japanese has ten megabytes and more.
const contents = new LRUCache<string, Buffer>({ maxSize: 64_000_000, sizeCalculation: ({ length }) => length });

/** The OpenType font or collection in a file; those in use stay in memory. */
export const contentOf = async (file: string): Promise<Buffer> => {
  const content = contents.get(file) ?? (await read(file));
  contents.set(file, content);
  return content;
};

/** Sorted pairs of first and last code point: a set of those of a Chinese font would take megabytes. */
const rangesOf = (codePoints: readonly number[]): Uint32Array => {
  const ranges: number[] = [];
  for (const codePoint of [...codePoints].sort((a, b) => a - b)) {
    if (ranges.length > 0 && codePoint <= (ranges.at(-1) ?? 0) + 1) ranges[ranges.length - 1] = codePoint;
    else ranges.push(codePoint, codePoint);
  }
  return Uint32Array.from(ranges);
};

const isWithin = (ranges: Uint32Array, codePoint: number): boolean => {
  let [low, high] = [0, ranges.length / 2];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[2 * middle + 1] ?? 0) < codePoint) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length / 2 && (ranges[2 * low] ?? 0) <= codePoint;
};

const faceOf = (file: string, font: Font, isMember: boolean): Face[] => {
  const { fsSelection, usWeightClass: weight } = font['OS/2'];
  if (fsSelection.italic || fsSelection.oblique) return [];
  const ranges = rangesOf(font.characterSet);
  const member = isMember ? font.postscriptName : undefined;
  return [{ file, member, weight, has: (codePoint) => isWithin(ranges, codePoint) }];
};

/** The upright fonts of a file; none if it is not a font that can be read. */
const facesIn = async (file: string): Promise<Face[]> => {
  const { create } = await import('fontkit');
  try {
    const font = create(await read(file));
    return 'fonts' in font ? font.fonts.flatMap((one) => faceOf(file, one, true)) : faceOf(file, font, false);
  } catch {
    return [];
  }
};

/** The fonts of a folder and the folders in it, by their names; none if there is no such folder. */
const facesBelow = async (folder: string): Promise<Face[]> => {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => FORMATS.has(extname(name).toLowerCase())).sort();
  const faces: Face[] = [];
  // One by one, for their size.
  for (const name of files) faces.push(...(await facesIn(join(folder, name))));
  return faces;
};

const own = (weight: number): string =>
  resolve(`@fontsource/dejavu-sans/files/dejavu-sans-latin-${weight}-normal.woff`);

/** The files of the product's own fonts. */
export const ownFiles = (): string[] => [REGULAR, BOLD].map(own);

/** Like the product's own: sans serif, and of the wanted weight. */
const byLikeness = (faces: readonly Face[], isBold: boolean): Face[] => {
  const distance = ({ file, weight }: Face): number =>
    Math.abs(weight - (isBold ? BOLD : REGULAR)) + (/sans/i.test(basename(file)) ? 0 : BOLD);
  return faces.toSorted((a, b) => distance(a) - distance(b));
};

/** The fonts of the product and those below a folder of the installation. */
export const createFonts = (folder: string | undefined) => {
  let [ours, others]: (Promise<Face[]> | undefined)[] = [];
  const readOwn = async (): Promise<Face[]> => (await Promise.all(ownFiles().map(facesIn))).flat();
  return {
    /** The product's own, the wanted weight first. */
    async own(isBold: boolean): Promise<readonly Face[]> {
      ours ??= readOwn();
      return byLikeness(await ours, isBold);
    },
    /** Those of the installation, sans serif and the nearest to the wanted weight first; looked for at the first use. */
    async more(isBold: boolean): Promise<readonly Face[]> {
      others ??= folder === undefined ? Promise.resolve([]) : facesBelow(folder);
      return byLikeness(await others, isBold);
    },
  };
};

export type Fonts = ReturnType<typeof createFonts>;
