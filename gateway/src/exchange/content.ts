import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface Content {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly gzipped?: Buffer | Promise<Buffer>;
  readonly read: () => Buffer | Promise<Buffer>;
  /** A strong validator with its quotes; undefined of a redirect. */
  readonly etag?: string;
}

export const compress = promisify<Buffer, Buffer>(gzip);

export function createContent(body: Buffer, headers: Content['headers']): Content {
  return {
    status: 200,
    headers,
    read: () => body,
    etag: `"${hash('sha256', body, 'base64url').slice(0, 22)}"`,
  };
}
