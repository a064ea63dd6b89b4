import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createApiKeys } from '../../src/api-keys/api-keys.ts';
import { createClients } from '../../src/clients/clients.ts';
import { createOrigins } from '../../src/origins/origins.ts';
import { clientsOf } from '../../src/store.ts';
import { engines, notExercised } from '../usage/engines.ts';

describe.each(engines)(`origins on $name${notExercised}`, (engine) => {
  let store: Store;
  let discard: () => Promise<void>;

  beforeAll(async () => {
    ({ store, discard } = await engine.open());
  });
  afterAll(() => discard());

  const details = (...origins: string[]) => ({
    name: 'k',
    origins,
    ratePerMinute: 600,
    monthlyQuota: null,
    expiresAt: null,
  });

  test('are those of every institution, each once, and follow every change', async () => {
    const origins = createOrigins(store, Date.now);
    const keys = createApiKeys(store);
    const first = await origins.named(undefined);
    expect(first.origins).toEqual([]);
    const { apiKey } = await keys.create('opera', details('https://a.example', 'https://b.example'));
    await keys.create('museum', details('https://b.example'));
    const second = await origins.named(first.mark);
    expect(second.origins).toEqual(['https://a.example', 'https://b.example']);
    expect(await origins.named(second.mark)).toEqual({ mark: second.mark, origins: null });
    await keys.amend('opera', apiKey.id, { origins: ['https://c.example'] });
    expect((await origins.named(second.mark)).origins).toEqual(['https://b.example', 'https://c.example']);
    await keys.remove('opera', apiKey.id);
    expect((await origins.named(second.mark)).origins).toEqual(['https://b.example']);
    // Another instance, which reads everything.
    expect((await createOrigins(store, Date.now).named(undefined)).origins).toEqual(['https://b.example']);
  });

  test('of redirect URIs are named, loopback with any port, private-use schemes not at all', async () => {
    const origins = createOrigins(store, Date.now);
    const { client } = await createClients(store).create('opera', { name: 'web', scopes: [] });
    const redirectUris = [
      'https://app.example/callback?x=1',
      'http://127.0.0.1/callback',
      'http://localhost:3000/callback',
      'com.example.app:/callback',
    ];
    const named = { origins: ['https://d.example'], redirectUris };
    await clientsOf(store)
      .of('opera')
      .update(client.id, (current) => ({ next: { ...current, ...named, changedAt: Date.now() } }));
    expect((await origins.named(undefined)).origins).toEqual(
      expect.arrayContaining(['http://127.0.0.1:*', 'http://localhost:*', 'https://app.example', 'https://d.example']),
    );
  });
});
