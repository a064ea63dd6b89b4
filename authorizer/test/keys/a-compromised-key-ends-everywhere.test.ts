import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIdentityVerifier, createKeySet } from '@boxoffice/identity';
import { openSqliteStores } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { collections, ensureFirstKey, listKeys, rotateKeys } from '../../src/index.ts';
import { createKeyRing } from '../../src/keys/key-ring.ts';
import {
  type Installation,
  type Json,
  keyEncryptionKey as secret,
  startInstallation,
  until,
  waysTo,
} from '../installation.ts';

let installation: Installation;
let instances: ReturnType<typeof waysTo>[];

beforeAll(async () => {
  installation = await startInstallation({ instances: 2 });
  instances = installation.services.map(({ url }) => waysTo(url, installation.store));
});
afterAll(() => installation.close());

const SCOPE = 'catalog:read';

const PROMISED_MS = 5_000;

describe('tokens of a compromised key are refused everywhere within five seconds', () => {
  test('by decisions and introspection of every instance and by a service, although all of them had verified one', async () => {
    const client = await installation.newClient([SCOPE]);
    const token = await installation.tokenOf(client);
    const question = { token, client_id: client.clientId, client_secret: client.clientSecret };
    const decided = () => Promise.all(instances.map(async ({ decide }) => (await decide(token, SCOPE)).status));
    const active = () =>
      Promise.all(instances.map(async ({ post }) => (await post('/auth/introspect', question)).body.active));
    const { identity } = (await installation.decide(token, SCOPE, 'getCatalog', 'catalog')).body.data as {
      identity: string;
    };
    const keys = createKeySet({ url: `${installation.url}/auth/jwks` });
    const verify = createIdentityVerifier({ keys, audience: 'catalog' });
    const serves = () =>
      verify(identity).then(
        () => true,
        () => false,
      );
    expect([await decided(), await active(), await serves()]).toEqual([[200, 200], [true, true], true]);

    await rotateKeys(installation.store, { secret, compromised: true });
    await until(async () => {
      const [statuses, introspections, served] = await Promise.all([decided(), active(), serves()]);
      return statuses.every((status) => status === 401) && !introspections.some(Boolean) && !served;
    }, 10 * PROMISED_MS);
    expect(await decided()).toEqual([401, 401]);
    expect(await active()).toEqual([false, false]);
    await expect(verify(identity)).rejects.toMatchObject({ code: 'unauthorized' });

    const next = await installation.tokenOf(client);
    for (const { decide } of instances) {
      const { status, body } = await decide(next, SCOPE, 'getCatalog', 'catalog');
      expect(status).toBe(200);
      expect(await verify(String((body.data as Json).identity))).toMatchObject({ client: client.clientId });
    }
  });
});

describe('the key that replaces a compromised one', () => {
  const directory = mkdtempSync(join(tmpdir(), 'compromised-'));
  const stores = openSqliteStores({ directory });
  afterAll(async () => {
    await stores.close();
    rmSync(directory, { recursive: true });
  });

  test('verifies in an instance that has not read it yet', async () => {
    const store = await stores.open('lagging', collections);
    const clock = { at: Date.now() };
    const ring = createKeyRing({ store, secret, longestLifetimeMs: 900_000, now: () => clock.at });
    await ring.load();
    const next = await rotateKeys(store, { secret, compromised: true });
    clock.at += 200;
    expect(await ring.keySet.key(next.kid)).toBeDefined();
    expect(ring.signing().kid).toBe(next.kid);
  });

  test('signs at once, also if an ordinary rotation happens at the same time', async () => {
    const store = await stores.open('both', collections);
    await ensureFirstKey(store, { secret });
    const [before] = await listKeys(store);
    await Promise.all([rotateKeys(store, { secret }), rotateKeys(store, { secret, compromised: true })]);
    const ring = createKeyRing({ store, secret, longestLifetimeMs: 900_000 });
    await ring.load();
    expect(ring.signing().kid).not.toBe(before?.kid);
    expect(ring.jwks().keys.map(({ kid }) => kid)).not.toContain(before?.kid);
  });
});
