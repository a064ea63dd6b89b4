import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

import { parseQualities } from '../requests/headers.ts';

type Coding = 'br' | 'gzip';

/** Smaller bodies are not worth compressing. */
const THRESHOLD_BYTES = 1024;

/** A high quality for bodies compressed once and sent often, below the one that takes minutes. */
const BROTLI_QUALITY = 6;

const compress: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  gzip: promisify<Buffer, Buffer>(gzip),
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
};

const CODINGS: readonly Coding[] = ['br', 'gzip'];

/** Serialises and compresses each value once per coding, however often it is sent. */
export function createEncoder(serialise: (value: object) => Buffer) {
  const plain = new WeakMap<object, Buffer>();
  const encoded = new WeakMap<object, Map<Coding, Promise<Buffer>>>();

  const plainOf = (value: object): Buffer => {
    const body = plain.get(value) ?? serialise(value);
    plain.set(value, body);
    return body;
  };

  return async (value: object, acceptEncoding: string | undefined) => {
    const body = plainOf(value);
    const coding = body.length >= THRESHOLD_BYTES ? selectCoding(acceptEncoding, CODINGS) : undefined;
    if (!coding) return { body };
    const variants = encoded.get(value) ?? new Map<Coding, Promise<Buffer>>();
    encoded.set(value, variants);
    const variant = variants.get(coding) ?? compress[coding](body);
    variants.set(coding, variant);
    return { body: await variant, coding };
  };
}

/** The best of the codings that an Accept-Encoding takes (RFC 9110, 12.5.3), or undefined for none. */
export function selectCoding<Name extends string>(
  acceptEncoding: string | undefined,
  codings: readonly Name[],
): Name | undefined {
  const qualities = new Map(parseQualities(acceptEncoding).map(({ name, quality }) => [name, quality]));
  const quality = (coding: string) => qualities.get(coding) ?? qualities.get('*') ?? 0;
  const [best] = codings.filter((coding) => quality(coding) > 0).toSorted((a, b) => quality(b) - quality(a));
  return best !== undefined && quality(best) >= (qualities.get('identity') ?? 0) ? best : undefined;
}
