import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, extname, join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Font } from 'fontkit';
import { LRUCache } from 'lru-cache';

const WOFF = 0x774f4646;
const HEADER = 44;
const ENTRY = 20;
const SFNT_HEADER = 12;
const SFNT_ENTRY = 16;

const { resolve } = createRequire(import.meta.url);

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

// Limited by bytes: a font of Chinese and Japanese has ten megabytes and more.
const contents = new LRUCache<string, Buffer>({ maxSize: 64_000_000, sizeCalculation: ({ length }) => length });

/** Fonts in use stay in memory (OpenType). */
export async function readFontFile(file: string): Promise<Buffer> {
  const content = contents.get(file) ?? (await read(file));
  contents.set(file, content);
  return content;
}

const read = async (file: string): Promise<Buffer> => {
  const content = await readFile(file);
  return extname(file).toLowerCase() === '.woff' ? toSfnt(content) : content;
};

/**
 * WOFF 1.0 (W3C) with its tables uncompressed: fontkit would inflate them again at each look at a glyph, which takes
 * seconds a document. @throws {Error} if it is no WOFF file
 */
const toSfnt = (woff: Buffer): Buffer => {
  if (woff.readUInt32BE(0) !== WOFF) throw new Error('the font is no WOFF file');
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const at = HEADER + index * ENTRY;
    const [offset, compressed, length] = [4, 8, 12].map((member) => woff.readUInt32BE(at + member)) as [
      number,
      number,
      number,
    ];
    const stored = woff.subarray(offset, offset + compressed);
    const checksum = woff.readUInt32BE(at + 16);
    return { tag: woff.subarray(at, at + 4), checksum, data: compressed < length ? inflateSync(stored) : stored };
  });
  const start = SFNT_HEADER + count * SFNT_ENTRY;
  const font = Buffer.alloc(start + tables.reduce((sum, { data }) => sum + padToFour(data.length), 0));
  const power = 2 ** Math.floor(Math.log2(count));
  font.writeUInt32BE(woff.readUInt32BE(4), 0);
  font.writeUInt16BE(count, 4);
  font.writeUInt16BE(power * 16, 6);
  font.writeUInt16BE(Math.log2(power), 8);
  font.writeUInt16BE((count - power) * 16, 10);
  let offset = start;
  for (const [index, { tag, checksum, data }] of tables.entries()) {
    const at = SFNT_HEADER + index * SFNT_ENTRY;
    tag.copy(font, at);
    font.writeUInt32BE(checksum, at + 4);
    font.writeUInt32BE(offset, at + 8);
    font.writeUInt32BE(data.length, at + 12);
    data.copy(font, offset);
    offset += padToFour(data.length);
  }
  return font;
};

const padToFour = (length: number): number => (length + 3) & ~3;

export function listOwnFiles(): string[] {
  return [REGULAR, BOLD].map(own);
}

const own = (weight: number): string =>
  resolve(`@fontsource/dejavu-sans/files/dejavu-sans-latin-${weight}-normal.woff`);

export function createFonts(folder: string | undefined) {
  let [ours, others]: (Promise<Face[]> | undefined)[] = [];
  const readOwn = async (): Promise<Face[]> => (await Promise.all(listOwnFiles().map(readFaces))).flat();
  return {
    /** The wanted weight comes first. */
    async own(isBold: boolean): Promise<readonly Face[]> {
      ours ??= readOwn();
      return sortByLikeness(await ours, isBold);
    },
    /** Fonts of the installation, sans serif and nearest to the wanted weight first; looked for at the first use. */
    async more(isBold: boolean): Promise<readonly Face[]> {
      others ??= folder === undefined ? Promise.resolve([]) : findFaces(folder);
      return sortByLikeness(await others, isBold);
    },
  };
}

/** None if the file is not a font that can be read. */
const readFaces = async (file: string): Promise<Face[]> => {
  const { create } = await import('fontkit');
  try {
    const font = create(await read(file));
    return 'fonts' in font ? font.fonts.flatMap((one) => toFaces(file, one, true)) : toFaces(file, font, false);
  } catch {
    return [];
  }
};

const toFaces = (file: string, font: Font, isMember: boolean): Face[] => {
  const { fsSelection, usWeightClass: weight } = font['OS/2'];
  if (fsSelection.italic || fsSelection.oblique) return [];
  const ranges = toRanges(font.characterSet);
  const member = isMember ? font.postscriptName : undefined;
  return [{ file, member, weight, has: (codePoint) => isWithin(ranges, codePoint) }];
};

/** Stores pairs of first and last code point: a set of those of a Chinese font would take megabytes. */
const toRanges = (codePoints: readonly number[]): Uint32Array => {
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

/** Sans serif fonts of the wanted weight come first. */
const sortByLikeness = (faces: readonly Face[], isBold: boolean): Face[] => {
  const distance = ({ file, weight }: Face): number =>
    Math.abs(weight - (isBold ? BOLD : REGULAR)) + (/sans/i.test(basename(file)) ? 0 : BOLD);
  return faces.toSorted((a, b) => distance(a) - distance(b));
};

/** Sorted by name; none if there is no such folder. */
const findFaces = async (folder: string): Promise<Face[]> => {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const files = names.filter((name) => FORMATS.has(extname(name).toLowerCase())).sort();
  const faces: Face[] = [];
  // One by one, since fonts are large.
  for (const name of files) faces.push(...(await readFaces(join(folder, name))));
  return faces;
};

export type Fonts = ReturnType<typeof createFonts>;
