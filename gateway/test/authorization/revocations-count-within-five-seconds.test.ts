import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Bus, createInProcessBus } from '@boxoffice/messaging';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAuthorizerClient } from '../../src/authorization/authorizer-client.ts';
import { createRevocations } from '../../src/authorization/revocations.ts';
import { SECRET, startFakeAuthorizer } from '../fixtures/fake-authorizer.ts';
import { runAtOneMoment, waitUntil } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const LIST = '/svc/v3/contacts/individuals';

const nothing = () => undefined;
const logger = { info: nothing, warn: nothing, error: nothing };
const deadLetters = {
  add: async () => {},
  list: async () => [],
  get: async () => undefined,
  remove: async () => false,
};

const bus: Bus = createInProcessBus({ deadLetters, logger });
let its: Installation;
beforeAll(async () => {
  its = await startInstallation({ bus });
});
afterAll(async () => {
  await its.close();
  await bus.close();
});

const { publishes } = JSON.parse(
  readFileSync(new URL('../../../authorizer/released/events.json', import.meta.url), 'utf8'),
) as { publishes: Record<string, { example: object }> };

/** The members that the authorizer's example has, with these values. */
const factLike = (type: string, values: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.keys(publishes[type]?.example ?? {}).map((member) => [member, values[member]]));

const announce = (type: string, key: string, values: Readonly<Record<string, unknown>>): Promise<void> =>
  bus.publish({
    id: randomUUID(),
    type,
    key,
    version: 1,
    institution: 'opera',
    occurredAt: new Date().toISOString(),
    data: factLike(type, values),
  });

const statusOf = async (token: string) => (await its.as(token)(LIST)).status;

test('a revoked token is refused as soon as the bus delivers the event', async () => {
  const token = its.authorizer.token(['contacts:read']);
  expect(await statusOf(token)).toBe(200);
  const jti = its.authorizer.revoke(token);
  const expiresAt = new Date(Date.now() + 900_000).toISOString();
  await announce('token.revoked', 'cli', { clientId: 'cli', jti, expiresAt });
  const reply = await its.as(token)(LIST);
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
});

test('a client’s removed scope takes effect as soon as the bus delivers the event; other clients’ decisions stay cached', async () => {
  const [token, other] = [its.authorizer.token(['contacts:read']), its.authorizer.token(['contacts:read'])];
  await runAtOneMoment(async () => {
    expect([await statusOf(token), await statusOf(other)]).toEqual([200, 200]);
    const client = its.authorizer.client(token);
    client.scopes = [];
    expect(await statusOf(token)).toBe(200);
    await announce('client.changed', client.id, { clientId: client.id, deleted: false });
    expect(await statusOf(token)).toBe(403);
    await statusOf(other);
  });
  expect(its.authorizer.decisionRequests.filter((question) => question.token === other)).toHaveLength(1);
});

test.concurrent('a token of a withdrawn key is refused within five seconds, verified before or not, in constant use or not', async () => {
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

test('a revocation and a removed scope take effect within five seconds without the bus', async () => {
  const [revoked, changed] = [its.authorizer.token(['contacts:read']), its.authorizer.token(['contacts:read'])];
  const decisionRequests = () =>
    its.authorizer.decisionRequests.filter((question) => question.token === revoked).length;
  await runAtOneMoment(async () => {
    expect([await statusOf(revoked), await statusOf(changed)]).toEqual([200, 200]);
    const before = decisionRequests();
    its.authorizer.revoke(revoked);
    its.authorizer.client(changed).scopes = [];
    its.authorizer.changed(its.authorizer.client(changed).id);
    await waitUntil(async () => (await statusOf(revoked)) === 401 && (await statusOf(changed)) === 403);
    // The gateway refused by its revocation list, without another decision request.
    expect(decisionRequests()).toBe(before);
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
