import { familyB } from '@boxoffice/http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PosContext } from '../../src/context.ts';
import { routes } from '../../src/routes.ts';
import { type Fixture, openFixture, type Reply } from '../fixture/fixture.ts';
import { codesIn, describeNow } from '../versions/published.ts';
import { atTheDoor, scenariosOf } from './scenarios.ts';

const operations = routes({} as PosContext);
const { paths } = describeNow();

/** What the schemas of an operation's errors name. */
const described = (method: string, path: string): string[] =>
  Object.values(paths[path]?.[method]?.responses ?? {}).flatMap(({ content }) =>
    codesIn(content?.['application/json']?.schema),
  );

/** Given to any request by what is around the operations, and tested there: the parser, the gateway, the idempotency. */
const around: ReadonlySet<string> = new Set([...familyB.always, 'idempotency_in_progress']);

let fixture: Fixture;
const given = new Map<string, Reply[]>();
beforeAll(async () => {
  fixture = await openFixture();
  const user = await fixture.user();
  const { performanceId, seatCategoryId } = fixture.catalog.show();
  const body = { performanceId, seatCategoryId, tariffId: fixture.catalog.full.id };
  const visitor = String((await fixture.call('POST', '/shopping-cart/items', { body })).token);
  const scenarios = await scenariosOf(fixture);
  for (const operation of operations) {
    const replies: Reply[] = [];
    const token = await fixture.logIn(user);
    for (const scenario of [...atTheDoor(fixture, operation, token), ...(scenarios[operation.id] ?? [])])
      replies.push(await scenario());
    if (operation.access === 'login') {
      const target = operation.path.replace('/tnwr/v1', '').replaceAll(/\{[^}]*\}/g, 'x');
      replies.push(await fixture.call(operation.method.toUpperCase(), target, { token: visitor }));
    }
    given.set(operation.id, replies);
  }
});
afterAll(() => fixture.close());

describe.each(operations.map(({ id, method, path }) => ({ id, method, path })))('$id', ({ id, method, path }) => {
  test('gives every code that its schemas name', () => {
    const codes = new Set((given.get(id) ?? []).map(({ code }) => String(code)));
    // The gateway, not the service, reads the body of an operation without one.
    const others = method === 'delete' ? new Set([...around, 'payload_too_large']) : around;
    const named = described(method, path).filter((code) => !others.has(code));
    expect(named.filter((code) => !codes.has(code))).toEqual([]);
  });

  test('gives no other code, and each with the status under which it is named', () => {
    for (const { status, code } of given.get(id) ?? []) {
      const { content } = paths[path]?.[method]?.responses[String(status)] ?? {};
      expect([code, codesIn(content?.['application/json']?.schema)]).toEqual([
        code,
        expect.arrayContaining([String(code)]),
      ]);
    }
  });

  test('says nothing in the words of another service', () => {
    for (const { body } of given.get(id) ?? []) expect(body.errorMessage).not.toMatch(/planted|\$\.items/);
  });
});
