import type { PatchOf } from '../schemas.ts';

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any value with a patch merged into it (RFC 7396). Changes neither. */
export const merged = (current: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(current) ? Object.entries(current) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) members.delete(name);
    else members.set(name, merged(members.get(name), value));
  }
  // fromEntries defines members, so a member called __proto__ stays an ordinary one.
  return Object.fromEntries(members);
};

/**
 * The document with the patch merged into it (RFC 7396): null removes, objects merge, anything else replaces. Changes
 * neither.
 */
export const mergePatch = <T extends object>(current: T, patch: PatchOf<T>): T => merged(current, patch) as T;
