import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createIdentityVerifier, createKeySet } from '@boxoffice/identity';
import { openSqliteStores, type SqliteStores, type Store } from '@boxoffice/store';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type KeySchedule,
  OVERLAP_SPARE_MS,
  PUBLISH_AHEAD_MS,
  selectPublishedKeys,
  selectSigningKey,
} from '../src/domain/key-schedule.ts';
import { collections, listKeys, rotateKeys } from '../src/index.ts';
import { getSigningKeys } from '../src/store.ts';
import { createKeyRing, ensureFirstKey } from '../src/tokens/signing-keys.ts';
import {
  createRequests,
  type Json,
  keyEncryptionKey as secret,
  startInstallationForSuite,
  waitUntil,
} from './installation.ts';

describe('rotation overlaps', () => {
  const LIFE_MS = 900_000;
  const directory = mkdtempSync(join(tmpdir(), 'keys-'));
  let stores: SqliteStores;
  let count = 0;

  beforeAll(() => {
    stores = openSqliteStores({ directory });
  });
  afterAll(async () => {
    await stores.close();
    rmSync(directory, { recursive: true });
  });

  const newStore = (): Promise<Store> => {
    count += 1;
    return stores.open(`authorizer${count}`, collections);
  };

  const kids = (jwks: { keys: { kid: string }[] }) => jwks.keys.map(({ kid }) => kid);

  test('instances that start concurrently create exactly one first key', async () => {
    const store = await newStore();
    const rings = Array.from({ length: 8 }, () => createKeyRing({ store, secret, longestLifetimeMs: LIFE_MS }));
    await Promise.all(rings.map((ring) => ring.load()));
    expect(await listKeys(store)).toHaveLength(1);
    expect(new Set(rings.map((ring) => ring.signing().kid)).size).toBe(1);
    await Promise.all([ensureFirstKey(store, { secret }), ensureFirstKey(store, { secret })]);
    expect(await listKeys(store)).toHaveLength(1);
  });

  test('a new key is published at once and signs later, and the old one verifies until its last token has expired', async () => {
    const store = await newStore();
    const clock = { at: 1_800_000_000_000 };
    const now = () => clock.at;
    const ring = createKeyRing({ store, secret, longestLifetimeMs: LIFE_MS, now });
    await ring.load();
    const first = ring.signing().kid;

    const second = (await rotateKeys(store, { secret, now })).kid;
    await ring.load();
    expect(ring.signing().kid).toBe(first);
    expect(kids(ring.jwks())).toEqual([second, first]);

    clock.at += PUBLISH_AHEAD_MS;
    expect(ring.signing().kid).toBe(second);
    clock.at += LIFE_MS + OVERLAP_SPARE_MS - 1;
    expect(await ring.keySet.key(first)).toBeDefined();
    clock.at += 1;
    expect(kids(ring.jwks())).toEqual([second]);
    expect(await ring.keySet.key(first)).toBeUndefined();
    await ring.load();
    expect(ring.signing().kid).toBe(second);
  });

  test('concurrent rotations create one key', async () => {
    const store = await newStore();
    await ensureFirstKey(store, { secret });
    const made = await Promise.all(Array.from({ length: 5 }, () => rotateKeys(store, { secret })));
    expect(new Set(made.map(({ kid }) => kid)).size).toBe(1);
    expect(await listKeys(store)).toHaveLength(2);
  });

  test('a compromised key is deleted at once', async () => {
    const store = await newStore();
    const ring = createKeyRing({ store, secret, longestLifetimeMs: LIFE_MS });
    await ring.load();
    const compromised = ring.signing().kid;
    const next = await rotateKeys(store, { secret, compromised: true });
    await ring.load();
    expect(ring.signing().kid).toBe(next.kid);
    expect(kids(ring.jwks())).not.toContain(compromised);
  });

  test('at any time one key signs, and every key that signed within the longest token lifetime is published', () => {
    const rotations = fc.array(fc.integer({ min: 0, max: 3 * LIFE_MS }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rotations, fc.integer({ min: 0, max: 12 * LIFE_MS }), (gaps, at) => {
        let from = 0;
        const keys: KeySchedule[] = gaps.map((gap, generation) => {
          from += generation === 0 ? 0 : gap;
          return { generation, signsFrom: from };
        });
        const shown = selectPublishedKeys(keys, at, LIFE_MS);
        expect(shown).toContain(selectSigningKey(keys, at));
        for (let before = at; before >= Math.max(0, at - LIFE_MS); before -= 60_000) {
          expect(shown).toContain(selectSigningKey(keys, before));
        }
      }),
    );
  });

  test('private keys are encrypted at rest with the installation’s KEY_ENCRYPTION_KEY', async () => {
    const store = await newStore();
    const ring = createKeyRing({ store, secret, longestLifetimeMs: LIFE_MS });
    await ring.load();
    const [stored] = await getSigningKeys(store).find();
    const der = ring.signing().privateKey.export({ type: 'pkcs8', format: 'der' });
    const d = ring.signing().privateKey.export({ format: 'jwk' }).d ?? 'none';
    expect(JSON.stringify(stored)).not.toContain(d);
    expect(Buffer.from(String(stored?.sealed), 'base64url').includes(der.subarray(36, 68))).toBe(false);
    const stranger = createKeyRing({ store, secret: 'another-key-encryption-key', longestLifetimeMs: LIFE_MS });
    await expect(stranger.load()).rejects.toThrow('KEY_ENCRYPTION_KEY');
  });

  test('the published keys have no private part', async () => {
    const store = await newStore();
    const ring = createKeyRing({ store, secret, longestLifetimeMs: LIFE_MS });
    await ring.load();
    const [jwk] = ring.jwks().keys;
    expect(Object.keys(jwk ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  });

  describe('the key that replaces a compromised one', () => {
    test('verifies in an instance that has not read it yet', async () => {
      const store = await newStore();
      const clock = { at: Date.now() };
      const now = () => clock.at;
      const ring = createKeyRing({ store, secret, longestLifetimeMs: 900_000, now });
      await ring.load();
      const next = await rotateKeys(store, { secret, now, compromised: true });
      clock.at += 200;
      expect(await ring.keySet.key(next.kid)).toBeDefined();
      expect(ring.signing().kid).toBe(next.kid);
    });

    test('signs at once, also if an ordinary rotation happens at the same time', async () => {
      const store = await newStore();
      await ensureFirstKey(store, { secret });
      const [before] = await listKeys(store);
      await Promise.all([rotateKeys(store, { secret }), rotateKeys(store, { secret, compromised: true })]);
      const ring = createKeyRing({ store, secret, longestLifetimeMs: 900_000 });
      await ring.load();
      expect(ring.signing().kid).not.toBe(before?.kid);
      expect(ring.jwks().keys.map(({ kid }) => kid)).not.toContain(before?.kid);
    });
  });
});

describe('a compromised key ends everywhere', () => {
  const installation = startInstallationForSuite({ instances: 2 });
  let instances: ReturnType<typeof createRequests>[];

  beforeAll(async () => {
    instances = installation.services.map(({ url }) => createRequests(url, installation.store));
  });

  const SCOPE = 'catalog:read';

  const PROMISED_MS = 5_000;

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
    await waitUntil(async () => {
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
