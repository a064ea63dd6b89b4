// rule 2: Dates are ISO 8601 timestamps | libs/http/src/schemas.ts

import { expect, test } from '@jest/globals';
import { descriptions, type Json, objectsIn } from './descriptions.ts';

const IS_DATE = /(?:[a-z](?:At|Date)|^asOf|^date[A-Z]\w*|Since|Until)$/;
/** A day without a time. */
const DAYS = new Set(['dateOfBirth']);

/** The members that are named as dates, and those parameters; a read-only one of a body has the format of the answer. */
const dated = descriptions.flatMap(objectsIn).flatMap((object): (readonly [string, Json])[] => {
  const members = Object.entries((object.properties ?? {}) as Readonly<Record<string, Json>>);
  const parameter = object.in === 'query' ? [[String(object.name), object.schema as Json] as const] : [];
  return [...members, ...parameter].filter(([name, schema]) => IS_DATE.test(name) && schema.readOnly !== true);
});

test('every date of a request or answer is described as an ISO 8601 timestamp', () => {
  expect(new Set(dated.map(([name]) => name))).toContain('modifiedSince');
  const other = dated.filter(([name, { format }]) => format !== (DAYS.has(name) ? 'date' : 'date-time'));
  expect(other).toEqual([]);
});
