// rule 7: 1: the code is specific and documented per endpoint | services/pos/src/orders/refusals.ts

import { familyB } from '@boxoffice/http';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/app.ts';
import type { PosContext } from '../../src/request/context.ts';
import { openFixture, type Reply } from '../fixture/fixture.ts';
import { shopperOf } from '../fixture/shopper.ts';
import { codesIn, describeNow } from '../versions/published.ts';
import { generalRefusals, scenariosOf, versionOf } from './scenarios.ts';

const operations = routes({} as PosContext);
const { paths } = describeNow();

/** The codes in the schemas of an operation's errors. */
const described = (method: string, path: string): string[] =>
  Object.values(paths[path]?.[method]?.responses ?? {}).flatMap(({ content }) =>
    codesIn(content?.['application/json']?.schema),
  );

/** Codes of the parser, the gateway and the idempotency layer: any operation may answer them; tested there. */
const general: ReadonlySet<string> = new Set([...familyB.always, 'idempotency_in_progress']);

const fixture = useFixture(() => openFixture());
const replies = new Map<string, Reply[]>();
beforeAll(async () => {
  const user = await fixture.user();
  const { token: visitor } = await shopperOf(fixture).fill();
  const scenarios = { v1: await scenariosOf(fixture, 'v1'), vexp: await scenariosOf(fixture, 'vexp') };
  for (const operation of operations) {
    const all: Reply[] = [];
    const token = await fixture.logIn(user);
    const version = versionOf(operation);
    const own = scenarios[version][operation.id.replace(/Experimental$/, '')] ?? [];
    for (const scenario of [...generalRefusals(fixture, operation, token), ...own]) all.push(await scenario());
    if (operation.access === 'login') {
      const target = operation.path.replace(/^\/tnwr\/\w+/, '').replaceAll(/\{[^}]*\}/g, 'x');
      all.push(await fixture.call(operation.method.toUpperCase(), target, { token: visitor, version }));
    }
    // Under the experimental version an expired cart is an answer.
    replies.set(
      operation.id,
      all.filter(({ success }) => version === 'v1' || !success),
    );
  }
});

describe.each(operations.map(({ id, method, path }) => ({ id, method, path })))('$id', ({ id, method, path }) => {
  test('returns every code of its schemas', () => {
    const codes = new Set((replies.get(id) ?? []).map(({ code }) => String(code)));
    // The gateway, not the service, reads the body of an operation without one.
    const others = method === 'delete' ? new Set([...general, 'payload_too_large']) : general;
    const named = described(method, path).filter((code) => !others.has(code));
    expect(named.filter((code) => !codes.has(code))).toEqual([]);
  });

  test('returns no other code, and each with its described status', () => {
    for (const { status, code } of replies.get(id) ?? []) {
      const { content } = paths[path]?.[method]?.responses[String(status)] ?? {};
      expect([code, codesIn(content?.['application/json']?.schema)]).toEqual([
        code,
        expect.arrayContaining([String(code)]),
      ]);
    }
  });

  test('passes on no message of another service', () => {
    for (const { body } of replies.get(id) ?? []) expect(body.errorMessage).not.toMatch(/planted|\$\.items/);
  });
});
