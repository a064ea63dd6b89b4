import type { PatchOf } from './schemas.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const merge = (current: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(current) ? Object.entries(current) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  }
  // fromEntries defines members, so that one called __proto__ is just a member.
  return Object.fromEntries(merged);
};

/** The document with the patch merged into it (RFC 7396): null removes, objects merge, anything else replaces. Changes neither. */
export const mergePatch = <T extends object>(current: T, patch: PatchOf<T>): T => merge(current, patch) as T;
