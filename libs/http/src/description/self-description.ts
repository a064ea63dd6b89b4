import { createHash } from 'node:crypto';
import { Type } from 'typebox';
import { type AnyOperation, ok, operation } from '../operation.ts';
import { type DescriptionOptions, openApiDocument } from './openapi.ts';

/**
 * The operation `GET /openapi.json` that describes all others; created at the first request, since most processes never
 * serve one.
 */
export const selfDescription = (options: DescriptionOptions): AnyOperation => {
  let made: { readonly document: object; readonly etag: string } | undefined;
  const make = () => {
    const document = openApiDocument(options);
    return { document, etag: createHash('sha256').update(JSON.stringify(document)).digest('base64url').slice(0, 22) };
  };
  return operation({
    id: 'describe',
    method: 'get',
    path: '/openapi.json',
    access: 'public',
    summary: 'Describes the operations of this service',
    answers: { 200: Type.Object({}) },
    bare: true,
    etag: true,
    compressed: true,
    isRoutine: true,
    example: { answer: {} },
    handle: () => {
      made ??= make();
      return ok(made.document, { etag: made.etag });
    },
  });
};
