import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const ME = '/svc/v3/users/me';

let its: Installation;
beforeAll(async () => {
  its = await startInstallation();
});
afterAll(() => its.close());

test('a token without any scope is let through, with the identity that the authorizer signs', async () => {
  const token = its.authorizer.token([]);
  expect((await its.as(token)(ME)).status).toBe(200);
  expect(its.authorizer.decisionRequests.filter((one) => one.token === token)).toEqual([
    { token, operation: 'getMe', scope: '', audience: 'authorizer' },
  ]);
  const reached = its.authorizer.received.filter(({ url }) => url === ME);
  expect(reached.at(-1)?.headers['x-internal-identity']).toBeDefined();
});

test('without a token, or with a revoked one, it is refused', async () => {
  expect((await its.as('')(ME)).status).toBe(401);
  const token = its.authorizer.token([]);
  its.authorizer.revoke(token);
  expect((await its.as(token)(ME)).status).toBe(401);
});
