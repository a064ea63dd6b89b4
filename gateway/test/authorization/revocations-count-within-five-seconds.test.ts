import { randomUUID } from 'node:crypto';
import { type Bus, createInProcessBus } from '@boxoffice/messaging';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { until } from '../fixtures/http.ts';
import { type Installation, startInstallation } from '../fixtures/installation.ts';

const LIST = '/svc/v3/contacts/individuals';
const PROMISED_MS = 5_000;

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

const tell = (type: string, key: string, data: object): Promise<void> =>
  bus.publish({
    id: randomUUID(),
    type,
    key,
    version: 1,
    institution: 'opera',
    occurredAt: new Date().toISOString(),
    data,
  });

const statusOf = async (token: string) => (await its.as(token)(LIST)).status;

test('a revoked token is refused as soon as the bus tells', async () => {
  const token = its.authority.token(['contacts:read']);
  expect(await statusOf(token)).toBe(200);
  const jti = its.authority.revoke(token);
  const expiresAt = new Date(Date.now() + 900_000).toISOString();
  await tell('token.revoked', 'cli', { clientId: 'cli', jti, expiresAt });
  const reply = await its.as(token)(LIST);
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
});

test('a client’s lost scope is gone as soon as the bus tells; other clients’ decisions stay', async () => {
  const [token, other] = [its.authority.token(['contacts:read']), its.authority.token(['contacts:read'])];
  expect([await statusOf(token), await statusOf(other)]).toEqual([200, 200]);
  const client = its.authority.client(token);
  client.scopes = [];
  expect(await statusOf(token)).toBe(200);
  await tell('client.changed', client.id, { clientId: client.id, deleted: false });
  expect(await statusOf(token)).toBe(403);
  await statusOf(other);
  expect(its.authority.questions.filter((question) => question.token === other)).toHaveLength(1);
});

test('what a withdrawn key signed is refused within five seconds, seen before or not, in constant use or not', async () => {
  const names = ['used', 'idle', 'unseen'] as const;
  const [used = '', idle = '', unseen = ''] = names.map(() => its.authority.token(['contacts:read']));
  expect([await statusOf(used), await statusOf(idle)]).toEqual([200, 200]);
  const asked = its.authority.questions.length;
  its.authority.withdrawKey();
  const next = its.authority.token(['contacts:read']);
  await until(async () => (await statusOf(used)) === 401, 10 * PROMISED_MS);
  const reply = await its.as(idle)(LIST);
  expect([reply.status, reply.headers['www-authenticate']]).toEqual([401, 'Bearer error="invalid_token"']);
  expect(await statusOf(unseen)).toBe(401);
  // The gateway refuses by itself, because another instance of the authorizer may lag behind.
  expect(its.authority.questions.length - asked).toBeLessThanOrEqual(1);
  expect(await statusOf(next)).toBe(200);
}, 60_000);

test('both hold within five seconds while the bus is silent', async () => {
  const [revoked, changed] = [its.authority.token(['contacts:read']), its.authority.token(['contacts:read'])];
  expect([await statusOf(revoked), await statusOf(changed)]).toEqual([200, 200]);
  const questions = () => its.authority.questions.filter((question) => question.token === revoked).length;
  const asked = questions();
  its.authority.revoke(revoked);
  its.authority.client(changed).scopes = [];
  its.authority.changed(its.authority.client(changed).id);
  await until(async () => (await statusOf(revoked)) === 401 && (await statusOf(changed)) === 403, 10 * PROMISED_MS);
  // The gateway refused by its revocation list, without another decision request.
  expect(questions()).toBe(asked);
}, 60_000);
