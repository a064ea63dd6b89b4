import { expect, test } from '@jest/globals';
import { createAuthorizerClient } from '../../src/authorization/authorizer-client.ts';
import { createRevocations } from '../../src/authorization/revocations.ts';
import { SECRET, startFakeAuthorizer } from '../fixtures/fake-authorizer.ts';
import { runAtOneMoment, waitUntil } from '../fixtures/http.ts';
import { startInstallation, useFixture } from '../fixtures/installation.ts';

const LIST = '/svc/v3/contacts/individuals';

const its = useFixture(() => startInstallation());

const statusOf = async (token: string) => (await its.as(token)(LIST)).status;

test('a token of a withdrawn key is refused within five seconds, verified before or not, in constant use or not', async () => {
  const names = ['used', 'idle', 'unseen'] as const;
  const [used = '', idle = '', unseen = ''] = names.map(() => its.authorizer.token(['contacts:read']));
  expect([await statusOf(used), await statusOf(idle)]).toEqual([200, 200]);
  const before = its.authorizer.decisionRequests.length;
  its.authorizer.withdrawKey();
  const next = its.authorizer.token(['contacts:read']);
  await waitUntil(async () => (await statusOf(used)) === 401);
  const reply = await its.as(idle)(LIST);
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
  expect(await statusOf(unseen)).toBe(401);
  // The gateway itself refuses, because another instance of the authorizer may lag behind.
  expect(its.authorizer.decisionRequests.length - before).toBeLessThanOrEqual(1);
  expect(await statusOf(next)).toBe(200);
});

test('a revocation and a removed scope take effect within five seconds; other clients’ decisions stay cached', async () => {
  const tokens = ['revoked', 'changed', 'other'].map(() => its.authorizer.token(['contacts:read']));
  const [revoked = '', changed = '', other = ''] = tokens;
  const countDecisions = (token: string) =>
    its.authorizer.decisionRequests.filter((question) => question.token === token).length;
  await runAtOneMoment(async () => {
    for (const token of tokens) expect(await statusOf(token)).toBe(200);
    its.authorizer.revoke(revoked);
    its.authorizer.client(changed).scopes = [];
    its.authorizer.changed(its.authorizer.client(changed).id);
    await waitUntil(async () => (await statusOf(revoked)) === 401 && (await statusOf(changed)) === 403);
    const reply = await its.as(revoked)(LIST);
    expect(reply.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
    expect(await statusOf(other)).toBe(200);
    // The gateway refused the first by its revocation list, without another decision.
    expect([countDecisions(revoked), countDecisions(other)]).toEqual([1, 1]);
  });
});

test('a gateway logs once that the authorizer refuses its secret, also after an outage of the authorizer', async () => {
  const authorizer = await startFakeAuthorizer();
  const errors: string[] = [];
  const warnings: string[] = [];
  const logger = {
    error: (message: string) => void errors.push(message),
    warn: (message: string) => void warnings.push(message),
  };
  let [url, secret] = ['http://127.0.0.1:1', 'another secret'];
  const changes = (since: string | undefined) =>
    createAuthorizerClient({ url, secret, addresses: undefined }).changes(since);
  const revocations = createRevocations({ authorizerClient: { changes }, clientChanged: () => undefined, logger });

  await revocations.poll();
  expect([errors, warnings.length]).toEqual([[], 1]);
  url = authorizer.url;
  for (let times = 0; times < 3; times += 1) await revocations.poll();
  expect(errors).toEqual([expect.stringContaining('SERVICE_SECRET')]);
  secret = SECRET;
  await revocations.poll();
  expect([errors.length, warnings.length]).toEqual([1, 1]);
  await authorizer.close();
});
