// rule 7: 2: 400 for parameters and the context header | services/pos/src/request/visit.ts
// rule 7: 2: 401 where authentication is required | services/pos/src/request/visit.ts

import { useFixture } from '@boxoffice/service/testkit';
import { beforeAll, expect, test } from '@jest/globals';
import { type Call, openFixture } from '../fixture/fixture.ts';

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
    [
      'POST',
      '/orders',
      { token, body: { contactNumber: 'COTHER', paymentMethod: 'external' } },
      403,
      'contact_not_accessible',
    ],
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
