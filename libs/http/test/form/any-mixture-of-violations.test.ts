import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Type } from 'typebox';
import { type AnyOperation, createNullableSchema, emailSchema, oneOf, operation } from '../../src/index.ts';
import { compileForm } from '../../src/requests/form.ts';
import { createCompiler } from '../../src/validation/validators.ts';

const body = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 10 }),
  email: emailSchema,
  size: Type.Integer({ minimum: 1, maximum: 9 }),
  color: oneOf(['red', 'green']),
  note: Type.Optional(createNullableSchema(Type.String({ maxLength: 3 }))),
  place: Type.Object({ city: Type.String({ pattern: '^[a-z]+$' }), open: Type.Boolean() }),
  items: Type.Array(
    Type.Object({ code: Type.String({ minLength: 2 }), count: Type.Optional(Type.Integer({ minimum: 1 })) }),
  ),
});

const valid = () => ({
  name: 'lamp',
  email: 'a@example.org',
  size: 3,
  color: 'red',
  note: null,
  place: { city: 'basel', open: true },
  items: [{ code: 'ab' }, { code: 'cd', count: 2 }],
});

type Kind = 'form' | 'constraint';

interface Mutation {
  readonly path: string;
  readonly kind: Kind;
  /** Where it is, from the body down; the value undefined removes it. */
  readonly at: readonly (string | number)[];
  readonly value: unknown;
}

const mutation = (kind: Kind, path: string, value?: unknown): Mutation => ({
  kind,
  path,
  at: [...path.matchAll(/\.(\w+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? Number(index)),
  value,
});

/** One violation of each kind for each place. */
const mutations: readonly Mutation[] = [
  mutation('form', '$.name'),
  mutation('form', '$.name', 7),
  mutation('constraint', '$.name', ''),
  mutation('form', '$.email', null),
  mutation('constraint', '$.email', 'nope'),
  mutation('form', '$.size', '3'),
  mutation('form', '$.size', 2.5),
  mutation('constraint', '$.size', 10),
  mutation('form', '$.color', 1),
  mutation('constraint', '$.color', 'blue'),
  mutation('form', '$.note', 5),
  mutation('constraint', '$.note', 'long'),
  mutation('form', '$.place.city'),
  mutation('constraint', '$.place.city', 'BASEL'),
  mutation('form', '$.place.open', 'true'),
  mutation('constraint', '$.place.zip', 4000),
  mutation('form', '$.items[0].code', []),
  mutation('constraint', '$.items[0].code', 'a'),
  mutation('constraint', '$.items[1].count', 0),
  mutation('constraint', '$.items[1].extra', {}),
  mutation('constraint', '$.extra', {}),
  mutation('constraint', '$.toString', 'x'),
];

const apply = (target: unknown, { at, value }: Mutation): void => {
  const holder = at.slice(0, -1).reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], target);
  const last = String(at.at(-1));
  if (value === undefined) delete (holder as Record<string, unknown>)[last];
  else Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true });
};

const declared: AnyOperation = operation({
  id: 'create',
  method: 'post',
  path: '/',
  access: 'public',
  summary: '',
  query: { a: Type.Optional(Type.Boolean()), b: Type.Integer() },
  body,
  answers: {},
  example: { answer: {} },
});

const readForm = compileForm(declared, { compile: createCompiler(), unknownQuery: 'refuse', operations: [] });

const request = { headers: { 'content-type': 'application/json' } } as IncomingMessage;

const outcome = (search: string, value: unknown): Fault | undefined => {
  try {
    readForm(request, {}, search, Buffer.from(JSON.stringify(value)));
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
};

const chosen = fc.uniqueArray(fc.constantFrom(...mutations), { selector: ({ path }) => path, maxLength: 8 });

test('a wrong body is bad_request if a member is absent or of the wrong type, else validation_error, and names every place', () => {
  fc.assert(
    fc.property(chosen, (picked) => {
      const value = valid();
      for (const one of picked) apply(value, one);
      const fault = outcome('b=1', value);
      if (picked.length === 0) {
        expect(fault).toBeUndefined();
        return;
      }
      expect(fault?.code).toBe(picked.some(({ kind }) => kind === 'form') ? 'bad_request' : 'validation_error');
      const named = fault?.details
        .slice(0, -1)
        .split('; ')
        .map((part) => part.split(' ')[0]);
      expect(named?.toSorted()).toEqual(picked.map(({ path }) => path).toSorted());
    }),
    { numRuns: 500 },
  );
});

test('the code is that of the parameters first: an absent one, then a wrong one; the places in the body are named as well', () => {
  const queries = fc.constantFrom(
    { search: '', code: 'missing_parameter', names: ['b'] },
    { search: 'a=1', code: 'missing_parameter', names: ['a', 'b'] },
    { search: 'b=x', code: 'invalid_parameter', names: ['b'] },
    { search: 'b=1&b=2', code: 'invalid_parameter', names: ['b'] },
    { search: 'b=1&c=2', code: 'invalid_parameter', names: ['c'] },
  );
  fc.assert(
    fc.property(queries, chosen, ({ search, code, names }, picked) => {
      const value = valid();
      for (const one of picked) apply(value, one);
      const fault = outcome(search, value);
      expect(fault?.code).toBe(code);
      for (const name of names) expect(fault?.details).toContain(`query parameter ${name} `);
      for (const { path } of picked) expect(fault?.details).toContain(`${path} `);
    }),
  );
});

test('any JSON is either accepted or refused with a fault', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string(), (value, search) => {
      const fault = outcome(search, value);
      expect(fault?.http).toBe(400);
      expect(fault?.details.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});
