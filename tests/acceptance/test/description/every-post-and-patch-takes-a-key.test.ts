import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const ROOT = new URL('../../../../', import.meta.url).pathname;

/** The only writes of both APIs without `Idempotency-Key`. */
const WITHOUT = ['POST /svc/v3/users/me/password', 'POST /tnwr/v1/sessions', 'POST /tnwr/vexp/sessions'];

type Paths = Record<string, Record<string, { readonly parameters?: readonly object[] }>>;

const writes = globSync('{gateway,authorizer,services/*}/released/openapi.json', { cwd: ROOT })
  .flatMap((file) => Object.entries((JSON.parse(readFileSync(`${ROOT}${file}`, 'utf8')) as { paths: Paths }).paths))
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
