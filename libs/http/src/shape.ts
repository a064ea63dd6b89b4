import type { AnyOperation, Method } from './operation.ts';

export const TAKES_BODY: ReadonlySet<Method> = new Set<Method>(['post', 'put', 'patch']);

export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

/** Every POST and PATCH with an authenticated or session-bound caller. */
export function isIdempotent({ method, access, withoutIdempotency = false }: AnyOperation): boolean {
  return (method === 'post' || method === 'patch') && access !== 'public' && !withoutIdempotency;
}

export interface Place {
  readonly id: string;
  readonly path: string;
  readonly operation: AnyOperation;
}

/** @throws on an id, or a method of a path, that is declared twice */
export function listPlaces(operations: readonly AnyOperation[], aliasSuffix: string): Place[] {
  const places = operations.flatMap((operation) => [
    { id: operation.id, path: operation.path, operation },
    ...(operation.aliases ?? []).map((path, index) => ({
      id: `${operation.id}${aliasSuffix}${index === 0 ? '' : index + 1}`,
      path,
      operation,
    })),
  ]);
  const seen = new Set<string>();
  const spelling = new Map<string, string>();
  for (const { id, path, operation } of places) {
    for (const key of [`the id ${id}`, `${operation.method.toUpperCase()} ${shapeOf(path)}`]) {
      if (seen.has(key)) throw new Error(`${key} is declared twice`);
      seen.add(key);
    }
    const other = spelling.get(shapeOf(path)) ?? path;
    if (other !== path) throw new Error(`${path} and ${other} are one path: name its parameters alike`);
    spelling.set(shapeOf(path), path);
  }
  return places;
}

const shapeOf = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}');

/** Sorts paths so that a concrete one comes before a templated one that matches the same requests. */
export function compareSpecificity(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

const rank = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '\uffff');
