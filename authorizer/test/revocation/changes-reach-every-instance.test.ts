import type { Message } from '@boxoffice/messaging';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addClientSecret, deleteClient, examples, removeClientSecret } from '../../src/index.ts';
import { type Installation, type Json, startInstallation, type TestClient, until } from '../installation.ts';

let installation: Installation;
const received: Message[] = [];

beforeAll(async () => {
  installation = await startInstallation({ instances: 2 });
  await installation.engines.bus.listen({ types: ['token.revoked', 'client.changed'] }, (message) => {
    received.push(message);
  });
});
afterAll(() => installation.close());

const statusAt = async (instance: number, { clientId, clientSecret }: TestClient): Promise<number> => {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: clientId,
    client_secret: clientSecret,
  });
  const { status } = await fetch(`${installation.services[instance]?.url}/auth/token`, { method: 'POST', body });
  return status;
};

const PROMISED_MS = 5_000;

const refusedEverywhere = (client: TestClient): Promise<void> =>
  until(async () => (await statusAt(0, client)) === 401 && (await statusAt(1, client)) === 401, 10 * PROMISED_MS);

describe('a change by an operator or another instance takes effect everywhere within five seconds', () => {
  test('a withdrawn secret', async () => {
    const client = await installation.newClient(['catalog:read']);
    const added = await addClientSecret(installation.store, 'opera', client.clientId);
    expect([await statusAt(0, client), await statusAt(1, client)]).toEqual([200, 200]);
    const [old] = added.secrets;
    await removeClientSecret(installation.store, 'opera', client.clientId, String(old?.id));
    await refusedEverywhere(client);
    expect(await statusAt(1, { ...client, clientSecret: added.clientSecret })).toBe(200);
  });

  test('a deleted client', async () => {
    const client = await installation.newClient(['catalog:read']);
    expect([await statusAt(0, client), await statusAt(1, client)]).toEqual([200, 200]);
    await deleteClient(installation.store, 'opera', client.clientId);
    await refusedEverywhere(client);
  });

  test('a new secret is valid at once, although the client is cached', async () => {
    const client = await installation.newClient(['catalog:read']);
    expect([await statusAt(0, client), await statusAt(1, client)]).toEqual([200, 200]);
    const { clientSecret } = await addClientSecret(installation.store, 'opera', client.clientId);
    expect([await statusAt(0, { ...client, clientSecret }), await statusAt(1, { ...client, clientSecret })]).toEqual([
      200, 200,
    ]);
  });

  test('gateways receive each change as an event of the promised schema, or poll it', async () => {
    const client = await installation.newClient(['catalog:read']);
    const asOf = new Date().toISOString();
    await deleteClient(installation.store, 'opera', client.clientId);
    const changed = () => received.find(({ data }) => (data as Json).clientId === client.clientId);
    await until(() => changed() !== undefined, 10 * PROMISED_MS);
    expect(changed()).toMatchObject({
      type: 'client.changed',
      institution: 'opera',
      data: { clientId: client.clientId, deleted: true },
    });
    expect(Object.keys(changed()?.data ?? {}).sort()).toEqual(Object.keys(examples['client.changed']).sort());
    const { body } = await installation.internal(`/internal/revocations?since=${asOf}`, undefined);
    const { clients } = body.data as { clients: Json[] };
    expect(clients).toContainEqual({ clientId: client.clientId, changedAt: expect.any(String) });
  });
});
