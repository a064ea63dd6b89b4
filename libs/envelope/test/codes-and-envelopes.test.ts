// rule 2: `status` is a code in lower-case snake_case | libs/envelope/src/registry.ts
// rule 2: `details` is an English message, null on success | libs/envelope/src/envelope.ts
// rule 2: `data` is null on every 4xx and 5xx | libs/envelope/src/envelope.ts
// rule 2: Error code and message are set whenever `success` is false | libs/envelope/src/family-b.ts
// rule 7: Family A 1: `status` is from the registry, which is open | libs/envelope/src/registry.ts
// rule 7: 3: every 2xx has the status `success` | libs/envelope/src/envelope.ts
// rule 7: The sixteen rows of the table, with their HTTP status | libs/envelope/src/registry.ts
// rule 7: New domain codes are snake_case with the domain as prefix | libs/envelope/src/registry.ts
// rule 7: The English message is in `details`, never in `status` | libs/envelope/src/envelope.ts

import { describe, expect, test } from '@jest/globals';
import { DuplicateEmail } from '../src/contact-exception.ts';
import {
  buildPosSuccess,
  type Code,
  createUnforeseenFault,
  Fault,
  failure,
  listSubjects,
  type PosCode,
  PosFault,
  posRegistry,
  registry,
  success,
  toFailure,
  toPosFailure,
} from '../src/index.ts';

/** The table of section 7. */
const specified: [number, string][] = [
  [400, 'bad_request'],
  [400, 'validation_error'],
  [400, 'missing_parameter'],
  [400, 'invalid_parameter'],
  [401, 'unauthorized'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [405, 'method_not_allowed'],
  [409, 'conflict'],
  [412, 'precondition_failed'],
  [422, 'validation_error'],
  [500, 'internal_error'],
  [501, 'not_implemented'],
  [502, 'bad_gateway'],
  [503, 'service_unavailable'],
  [409, 'contact_duplicate_email'],
];

const rows = Object.entries(registry);

describe('the registry', () => {
  test.each(specified)('has the specified row %i %s', (http, status) => {
    expect(rows.filter(([, row]) => row.http === http && row.status === status)).toHaveLength(1);
  });

  test('has one row per status and HTTP code, each with its meaning', () => {
    expect(new Set(rows.map(([, { http, status }]) => `${http} ${status}`)).size).toBe(rows.length);
    for (const [, { when }] of rows) expect(when).not.toBe('');
  });

  test.each(rows)(
    '%s is lower-case snake_case, and a domain code names its domain first',
    (code, { status, domain }) => {
      expect(status).toMatch(/^[a-z]+(_[a-z]+)*$/);
      if (domain !== 'general') expect(status.startsWith(`${domain}_`)).toBe(true);
      if (code !== status) expect(code).toBe('semantically_invalid');
    },
  );

  test('has only errors', () => {
    for (const [, { http }] of rows) expect(http >= 400 && http < 600).toBe(true);
  });
});

describe('an envelope', () => {
  test('of a success has its data and no details', () => {
    expect(success({ a: 1 })).toEqual({ status: 'success', details: null, data: { a: 1 } });
  });

  test.each(Object.keys(registry) as Code[])('of an error has null data: %s', (code) => {
    const { status } = registry[code];
    expect(failure(code, 'Why.')).toEqual({ status, details: 'Why.', data: null });
    expect(toFailure(new Fault(code, 'Why.'))).toEqual({ status, details: 'Why.', data: null });
    expect(listSubjects(new Fault(code, 'Why.'))).toEqual([]);
  });

  test('cannot carry data for a fault that is declared elsewhere', () => {
    class Chatty extends Fault {
      envelope() {
        return { status: 'conflict', details: 'x', data: { secret: 1 } };
      }
    }
    expect(toFailure(new Chatty('conflict', 'x')).data).toBeNull();
  });

  test('has the existing contact in the one exception, with that person as its subject', () => {
    const contact = { contactNumber: 'C1', email: 'a@example.org' };
    const fault = new DuplicateEmail('Taken.', contact);
    expect(fault.http).toBe(409);
    expect(toFailure(fault)).toEqual({ status: 'contact_duplicate_email', details: 'Taken.', data: contact });
    expect(listSubjects(fault)).toEqual(['C1']);
  });
});

describe('a fault in family B', () => {
  test('has success false, a code and a message', () => {
    expect(toPosFailure(new Fault('not_found', 'No.'))).toEqual({
      success: false,
      errorCode: 'not_found',
      errorMessage: 'No.',
    });
  });

  test('has userLoggedOut and orderCancelled at 500', () => {
    expect(toPosFailure(new Fault('internal_error', 'No.'))).toMatchObject({
      userLoggedOut: false,
      orderCancelled: false,
    });
  });
});

test('a fault is an error with a code, details and headers', () => {
  const fault = new Fault('service_unavailable', 'Later.', { 'Retry-After': '3' });
  expect(fault).toBeInstanceOf(Error);
  expect(fault).toMatchObject({
    code: 'service_unavailable',
    http: 503,
    details: 'Later.',
    headers: { 'Retry-After': '3' },
  });
});

describe('the table of family B', () => {
  test.each(Object.entries(posRegistry))('%s has a status that the specification or the gateway has', (code, row) => {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(row.status).toBe(code);
    expect([400, 401, 403, 404, 405, 408, 413, 415, 429, 431, 500]).toContain(row.http);
    expect(new PosFault(code as PosCode, 'No.').http).toBe(row.http);
  });

  test('a fault of family B keeps its own code, and has its consequences at 500', () => {
    expect(toPosFailure(new PosFault('cart_expired', 'Too late.'))).toEqual({
      success: false,
      errorCode: 'cart_expired',
      errorMessage: 'Too late.',
    });
    const fault = createUnforeseenFault(new Error('inner'), { userLoggedOut: true, orderCancelled: true });
    expect(toPosFailure(fault)).toMatchObject({ userLoggedOut: true, orderCancelled: true });
    expect(JSON.stringify(toPosFailure(fault))).not.toContain('inner');
    expect(buildPosSuccess({ a: 1 })).toEqual({ success: true, data: { a: 1 } });
  });
});
