import { isUtf8 } from 'node:buffer';
import { excessOf } from './excess.ts';

/**
 * Members in one order. `fromEntries` defines them, so `__proto__` stays an ordinary one. A number beyond the range of
 * doubles, which no schema accepts, must not become null.
 */
const ordered = (_name: string, value: unknown): unknown => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

/**
 * One text for all spellings of a JSON value, as operations read it: the order of members, white space, escapes and the
 * spelling of numbers make no difference, of a repeated member the last one counts, and an empty body is `{}`.
 * Undefined if no operation reads the body: it is not JSON in UTF-8, or too deep or large to parse.
 */
export const canonicalJson = (body: Buffer): string | undefined => {
  if (body.length === 0) return '{}';
  if (!isUtf8(body) || excessOf(body)) return undefined;
  try {
    return JSON.stringify(JSON.parse(body.toString('utf8')), ordered);
  } catch {
    return undefined;
  }
};
