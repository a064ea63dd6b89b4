import { expect, test } from '@jest/globals';
import { descriptions } from './descriptions.ts';

/** The only writes of both APIs without `Idempotency-Key`. */
const WITHOUT = ['POST /svc/v3/users/me/password', 'POST /tnwr/v1/sessions', 'POST /tnwr/vexp/sessions'];

type Paths = Record<string, Record<string, { readonly parameters?: readonly object[] }>>;

const writes = descriptions
  .flatMap(({ paths }) => Object.entries(paths as Paths))
  .filter(([path]) => !path.startsWith('/auth/'))
  .flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method === 'post' || method === 'patch')
      .map(([method, described]) => ({ name: `${method.toUpperCase()} ${path}`, described })),
  );

test('every POST and PATCH takes Idempotency-Key, but for passwords and sessions', () => {
  expect(writes.length).toBeGreaterThan(50);
  const without = writes.filter(
    ({ described }) => !/Idempotency-?Key/.test(JSON.stringify(described.parameters ?? [])),
  );
  expect(without.map(({ name }) => name).sort()).toEqual(WITHOUT);
});
