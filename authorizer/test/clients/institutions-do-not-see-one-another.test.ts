// rule 1: One client account gives access to the APIs of exactly one institution | authorizer/src/clients/clients.ts

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SCOPES } from '../../src/index.ts';
import { type Installation, type Json, startInstallation, type TestClient } from '../installation.ts';

let installation: Installation;
let opera: TestClient;
let token: string;

beforeAll(async () => {
  installation = await startInstallation();
  opera = await installation.newClient(['catalog:read'], 'opera');
  token = await installation.tokenOf(await installation.newClient(SCOPES, 'museum'));
});
afterAll(() => installation.close());

describe('the clients of another institution do not exist', () => {
  const operations = (id: string) =>
    [
      ['getClient', 'clients:read', 'GET', `/${id}`, undefined],
      ['updateClient', 'clients:write', 'PATCH', `/${id}`, { name: 'taken' }],
      ['deleteClient', 'clients:write', 'DELETE', `/${id}`, undefined],
      ['createClientSecret', 'clients.sensitive:write', 'POST', `/${id}/secrets`, undefined],
      ['deleteClientSecret', 'clients.sensitive:write', 'DELETE', `/${id}/secrets/sec_x`, undefined],
    ] as const;

  test('every operation has the same answer, byte for byte, as for an unknown id', async () => {
    const unknown = operations('cli_AAAAAAAAAAAAAAAAAAAAAA');
    for (const [index, [operation, scope, method, path, body]] of operations(opera.clientId).entries()) {
      const foreign = await installation.call(token, operation, scope, method, path, { body });
      const [, , , never] = unknown[index] ?? operations('x')[0];
      const none = await installation.call(token, operation, scope, method, never, { body });
      expect({ operation, status: foreign.status, text: foreign.text }).toEqual({
        operation,
        status: 404,
        text: none.text,
      });
    }
    expect((await installation.askToken(opera)).status).toBe(200);
  });

  test('lists omit them', async () => {
    const { body } = await installation.call(token, 'listClients', 'clients:read', 'GET', '?limit=500');
    const { items } = body.data as { items: Json[] };
    expect(items.length).toBeGreaterThan(0);
    expect(items.every(({ institution }) => institution === 'museum')).toBe(true);
  });

  test('a new client belongs to the institution of its creator, whatever its body contains', async () => {
    const body = { name: 'x', scopes: [], institution: 'opera' };
    const answer = await installation.call(token, 'createClient', 'clients:write', 'POST', '', { body });
    if (answer.status === 201) expect((answer.body.data as Json).institution).toBe('museum');
    else expect(answer.body.status).toBe('validation_error');
  });
});
