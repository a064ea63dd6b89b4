import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { type AnyOperation, ok, operation } from '../operation.ts';
import { type DescriptionOptions, openApiDocument } from './openapi.ts';

/** An operation that serves a document; made at the first request, since most processes never serve one. */
const serving = (id: string, path: string, summary: string, make: () => object): AnyOperation => {
  let made: { readonly document: object; readonly etag: string } | undefined;
  const makeOnce = () => {
    const document = make();
    return { document, etag: createHash('sha256').update(JSON.stringify(document)).digest('base64url').slice(0, 22) };
  };
  return operation({
    id,
    method: 'get',
    path,
    access: 'public',
    summary,
    answers: { 200: Type.Object({}) },
    bare: true,
    etag: true,
    compressed: true,
    isRoutine: true,
    example: { answer: {} },
    handle: () => {
      made ??= makeOnce();
      return ok(made.document, { etag: made.etag });
    },
  });
};

/** The operation `GET /openapi.json` that describes the operations of the interface. */
export const selfDescription = (options: DescriptionOptions): AnyOperation =>
  serving('describe', '/openapi.json', 'Describes the operations of this service', () => openApiDocument(options));

/**
 * The operation that describes what other services rely on: the internal operations and the members of `contract`.
 * Without a secret and without a caller's identity, like the other; no gateway routes to it.
 */
export const internalDescription = (options: DescriptionOptions & { readonly contract?: object }): AnyOperation =>
  serving('describeInternally', '/internal/openapi.json', 'Describes what other services rely on', () => ({
    ...openApiDocument({ ...options, readers: 'services' }),
    ...options.contract,
  }));
