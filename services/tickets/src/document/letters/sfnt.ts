import { inflateSync } from 'node:zlib';

const WOFF = 0x774f4646;
const HEADER = 44;
const ENTRY = 20;
const SFNT_HEADER = 12;
const SFNT_ENTRY = 16;

const padded = (length: number): number => (length + 3) & ~3;

/**
 * The OpenType font in a WOFF file (W3C, WOFF 1.0): its tables uncompressed. fontkit would inflate them again at each
 * look at a glyph, which takes seconds a document. @throws {Error} if it is no WOFF file
 */
export const sfntOf = (woff: Buffer): Buffer => {
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
  const font = Buffer.alloc(start + tables.reduce((sum, { data }) => sum + padded(data.length), 0));
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
    offset += padded(data.length);
  }
  return font;
};
