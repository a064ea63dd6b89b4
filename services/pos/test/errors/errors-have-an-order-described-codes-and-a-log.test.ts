// rule 7: 2: 400 for parameters and the context header | services/pos/src/request/visit.ts
// rule 7: 2: 401 where authentication is required | services/pos/src/request/visit.ts
// rule 7: 1: the code is specific and documented per endpoint | services/pos/src/orders/refusals.ts
// rule 7: 2: 500 is logged, other errors are not | libs/http/src/app/handle.ts

import { familyB } from '@boxoffice/http';
import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRoutes } from '../../src/commands.ts';
import type { PosContext } from '../../src/request/context.ts';
import { type Call, openFixture, type Reply } from '../fixture/fixture.ts';
import { createShopper } from '../fixture/shopper.ts';
import { describeNow, listCodes } from '../versions/published.ts';
import { createGeneralRefusals, createScenarios, getVersion } from './scenarios.ts';

const fixture = useFixture(() => openFixture());
let token: string;
let contactNumber: string;
beforeAll(async () => {
  const user = await fixture.user();
  ({ contactNumber } = user);
  token = await fixture.logIn(user);
});

/** The first request is wrong in every respect; each further one corrects one fault, and the next is answered. */
test('the checks are path, method, context, session, form, privilege, resource, rules', async () => {
  const wrong: Call = {
    host: 'nowhere.example',
    token: 'unknown',
    headers: { 'content-type': 'text/plain' },
    body: 'x'.repeat(300_000),
  };
  const foreign = { token, body: { contactNumber: 'COTHER', paymentMethod: 'external' } };
  const answers: [string, string, Call, number, string][] = [
    ['POST', '/nothing', wrong, 404, 'not_found'],
    ['PUT', '/orders', wrong, 405, 'method_not_allowed'],
    ['POST', '/orders', { ...wrong, host: null }, 400, 'context_missing'],
    ['POST', '/orders', wrong, 400, 'context_invalid'],
    ['POST', '/orders', { ...wrong, host: fixture.pointOfSale.serviceHost }, 401, 'session_invalid'],
    ['POST', '/orders', { token, headers: wrong.headers, body: wrong.body }, 415, 'unsupported_media_type'],
    ['POST', '/orders', { token, body: wrong.body }, 413, 'payload_too_large'],
    ['POST', '/orders', { token, body: [] }, 400, 'bad_request'],
    ['POST', '/orders', { token, body: { paymentMethod: 'barter' } }, 400, 'validation_error'],
    ['POST', '/orders', foreign, 403, 'contact_not_accessible'],
    ['POST', '/orders', { token, body: { contactNumber, paymentMethod: 'external' } }, 400, 'cart_empty'],
    ['GET', '/products/prd_unknown?contactNumber=COTHER', { token }, 403, 'contact_not_accessible'],
    ['GET', '/products/prd_unknown', { token }, 404, 'not_found'],
  ];
  for (const [method, path, call, status, code] of answers) {
    const answer = await fixture.call(method, path, call);
    expect([path, answer.status, answer.code, answer.success]).toEqual([path, status, code, false]);
    expect(answer.body.errorMessage).toMatch(/\w/);
  }
});

test('405 lists the allowed methods', async () => {
  const { headers } = await fixture.call('PUT', '/shopping-cart');
  expect(headers.get('allow')).toBe('GET, HEAD, DELETE');
});

const operations = createRoutes({} as PosContext);
const { paths } = describeNow();

/** The codes in the schemas of an operation's errors. */
const described = (method: string, path: string): string[] =>
  Object.values(paths[path]?.[method]?.responses ?? {}).flatMap(({ content }) =>
    listCodes(content?.['application/json']?.schema),
  );

/** Codes of the parser, the gateway and the idempotency layer: any operation may answer them; tested there. */
const general: ReadonlySet<string> = new Set([...familyB.always, 'idempotency_in_progress']);

const replies = new Map<string, Reply[]>();
beforeAll(async () => {
  const user = await fixture.user();
  const { token: visitor } = await createShopper(fixture).fill();
  const scenarios = { v1: await createScenarios(fixture, 'v1'), vexp: await createScenarios(fixture, 'vexp') };
  for (const operation of operations) {
    const all: Reply[] = [];
    const token = await fixture.logIn(user);
    const version = getVersion(operation);
    const own = scenarios[version][operation.id.replace(/Experimental$/, '')] ?? [];
    for (const scenario of [...createGeneralRefusals(fixture, operation, token), ...own]) all.push(await scenario());
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
      expect([code, listCodes(content?.['application/json']?.schema)]).toEqual([
        code,
        expect.arrayContaining([String(code)]),
      ]);
    }
  });

  test('passes on no message of another service', () => {
    for (const { body } of replies.get(id) ?? []) expect(body.errorMessage).not.toMatch(/planted|\$\.items/);
  });
});

describe('errors in the log', () => {
  beforeEach(() => {
    (fixture.errors as string[]).length = 0;
  });

  test('a refusal of any kind is not logged as an error', async () => {
    for (const [method, path, body] of [
      ['GET', '/products/prd_unknown'],
      ['GET', '/products?limit=x'],
      ['POST', '/sessions', { login: 'nobody', password: 'wrong' }],
      ['GET', '/contacts/COTHER'],
      ['POST', '/orders', {}],
      ['DELETE', '/shopping-cart/items/lin_x'],
    ] as const)
      expect((await fixture.call(method, path, { token, body })).status).toBeLessThan(500);
    expect(fixture.errors).toEqual([]);
  });

  test.each([
    ['GET', '/tickets', 'tickets'],
    ['GET', '/orders', 'orders'],
    ['GET', '/products/prd_new/availabilities', 'catalog'],
  ] as const)(
    'a failure of a service behind %s %s is a logged 500 with Retry-After: %s',
    async (method, path, name) => {
      fixture[name].mishaps.set('*', 'fails');
      const { status, headers, body } = await fixture.call(method, path, { token });
      fixture[name].mishaps.clear();
      expect([status, headers.get('retry-after')]).toEqual([500, '1']);
      expect(body).toEqual({
        success: false,
        errorCode: 'internal_error',
        errorMessage: expect.any(String),
        userLoggedOut: false,
        orderCancelled: false,
      });
      expect(JSON.stringify(body)).not.toContain('planted');
      expect(fixture.errors).toHaveLength(1);
      expect(fixture.errors[0]).toContain('a request failed');
    },
  );
});
