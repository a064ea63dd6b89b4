import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createIdentityVerifier, createKeySet, createServiceCredentials, signIdentity } from '../src/index.ts';
import { createSigningKey, serve, serveKeys } from './authority.ts';

const [compromised, next] = [createSigningKey('compromised'), createSigningKey('next')];
const caller = {
  institution: 'opera',
  client: 'cli_1',
  service: null,
  scopes: [],
  operation: 'getIndividual',
  user: null,
  bounds: null,
  isPublic: false,
};
const audience = 'contacts';
const refused = { code: 'unauthorized' };

let document: Awaited<ReturnType<typeof serveKeys>>;
const state = { at: Date.now() };
const now = () => state.at;

beforeAll(async () => {
  document = await serveKeys([]);
});
afterAll(() => document.close());

const begin = () => {
  document.state.jwks = [compromised.jwk];
  document.state.down = false;
  const verify = createIdentityVerifier({ keys: createKeySet({ url: document.jwksUrl, now }), audience, now });
  const issuedAt = Math.floor(state.at / 1000);
  const [seen = '', unseen = ''] = ['a', 'b'].map((operation) =>
    signIdentity(compromised, { audience, caller: { ...caller, operation }, issuedAt }),
  );
  return { verify, seen, unseen };
};

const withdraw = () => {
  document.state.jwks = [next.jwk];
};

describe('a withdrawn key ends in seconds', () => {
  test('for verified tokens and for others, after an idle time of any length', async () => {
    for (const idleMs of [2_001, 30_000]) {
      const { verify, seen, unseen } = begin();
      await verify(seen);
      withdraw();
      state.at += idleMs;
      await expect(verify(seen)).rejects.toMatchObject(refused);
      await expect(verify(unseen)).rejects.toMatchObject(refused);
    }
  });

  test('requests do not wait: the document is fetched in the background', async () => {
    const { verify, seen } = begin();
    await verify(seen);
    withdraw();
    const before = document.state.fetches;
    state.at += 1_001;
    await verify(seen);
    // The fetch is still running; the token is refused once it is done.
    while (await verify(seen).catch(() => undefined)) await new Promise((resolve) => setImmediate(resolve));
    await expect(verify(seen)).rejects.toMatchObject(refused);
    expect(document.state.fetches - before).toBe(1);
  });

  test('a token of the next key is accepted at once', async () => {
    const { verify, seen } = begin();
    await verify(seen);
    withdraw();
    state.at += 1_001;
    const token = signIdentity(next, { audience, caller, issuedAt: Math.floor(state.at / 1000) });
    expect(await verify(token)).toEqual(caller);
  });

  test('an idle verifier fetches nothing, a busy one once a second', async () => {
    const { verify, seen } = begin();
    await verify(seen);
    const before = document.state.fetches;
    state.at += 900;
    for (let i = 0; i < 100; i += 1) await verify(seen);
    expect(document.state.fetches - before).toBe(0);
    state.at += 1_200;
    for (let i = 0; i < 100; i += 1) await verify(seen);
    expect(document.state.fetches - before).toBe(1);
  });

  test('an unresponsive authorizer withdraws no key, and delays one request at most', async () => {
    const { verify, seen, unseen } = begin();
    await verify(seen);
    document.state.down = true;
    state.at += 10_000;
    expect(await verify(seen)).toMatchObject({ operation: 'a' });
    expect(await verify(unseen)).toMatchObject({ operation: 'b' });
    let hangs = false;
    const authorizer = await serve((_request, response) => {
      if (!hangs) response.end(JSON.stringify({ keys: [compromised.jwk] }));
    });
    const patient = createKeySet({ url: `${authorizer.url}/auth/jwks`, now, timeoutMs: 1_000 });
    document.state.down = false;
    // On a machine that stands still, the first attempts may end unanswered.
    while (!(await patient.key('compromised').catch(() => undefined))) state.at += 501;
    hangs = true;
    state.at += 10_000;
    expect(await patient.key('compromised')).toBeDefined();
    state.at += 600;
    // If it waited for the open answer, the attempt would end first.
    const order: string[] = [];
    const answer = patient.key('compromised').then(() => order.push('key'));
    const end = patient.refresh().catch(() => order.push('end of the attempt'));
    await Promise.all([answer, end]);
    expect(order).toEqual(['key', 'end of the attempt']);
    await authorizer.close();
  });

  test('a service no longer sends tokens that the key signed', async () => {
    document.state.jwks = [compromised.jwk];
    const signing = { key: compromised };
    const authorizer = await serve((_request, response) => {
      const identity = signIdentity(signing.key, { audience, caller, issuedAt: Math.floor(state.at / 1000) });
      const expiresAt = new Date(state.at + 60_000).toISOString();
      response.end(JSON.stringify({ details: null, data: { identity, expiresAt } }));
    });
    const keys = createKeySet({ url: document.jwksUrl, now });
    const credentials = createServiceCredentials({
      authorizerUrl: authorizer.url,
      service: 'orders',
      secret: 's',
      keys,
      now,
    });
    const call = { audience, institution: 'opera', operation: 'getIndividual' };
    const first = await credentials.tokenFor(call);
    expect(await credentials.tokenFor(call)).toBe(first);
    signing.key = next;
    withdraw();
    state.at += 2_001;
    const verify = createIdentityVerifier({ keys, audience, now });
    expect(await verify(await credentials.tokenFor(call))).toEqual(caller);
    await authorizer.close();
  });
});

describe('an unknown kid refetches once', () => {
  const first = createSigningKey('first');
  const second = createSigningKey('second');

  beforeAll(() => {
    document.state.jwks = [first.jwk];
    document.state.down = false;
  });

  const clock = () => {
    const state = { at: 1_000_000 };
    return { state, now: () => state.at };
  };

  test('concurrent callers cause one fetch', async () => {
    const keys = createKeySet({ url: document.jwksUrl });
    const before = document.state.fetches;
    const found = await Promise.all(Array.from({ length: 20 }, () => keys.key('first')));
    expect(found.every((key) => key?.equals(first.publicKey))).toBe(true);
    expect(document.state.fetches - before).toBe(1);
  });

  test('unknown ids cause one fetch per cooldown', async () => {
    const { state, now } = clock();
    const keys = createKeySet({ url: document.jwksUrl, cooldownMs: 5_000, now });
    await keys.refresh();
    const before = document.state.fetches;
    for (let i = 0; i < 10; i += 1) expect(await keys.key(`made-up-${i}`)).toBeUndefined();
    expect(document.state.fetches - before).toBe(0);
    state.at += 5_001;
    for (let i = 0; i < 10; i += 1) expect(await keys.key(`made-up-${i}`)).toBeUndefined();
    expect(document.state.fetches - before).toBe(1);
  });

  test('a key that was published meanwhile is found', async () => {
    const { state, now } = clock();
    const keys = createKeySet({ url: document.jwksUrl, now });
    await keys.key('first');
    document.state.jwks = [first.jwk, second.jwk];
    state.at += 5_001;
    expect((await keys.key('second'))?.equals(second.publicKey)).toBe(true);
    expect((await keys.key('first'))?.equals(first.publicKey)).toBe(true);
  });

  test('known keys stay usable while the document is unavailable', async () => {
    const { state, now } = clock();
    const keys = createKeySet({ url: document.jwksUrl, now });
    await keys.key('first');
    document.state.down = true;
    state.at += 3_600_000;
    expect(await keys.key('first')).toBeDefined();
    await expect(keys.refresh()).rejects.toThrow('503');
    expect(await keys.key('first')).toBeDefined();
    document.state.down = false;
  });

  test('an unknown key is service_unavailable, not unauthorized, while the document is unavailable', async () => {
    const gone = await serve(() => undefined);
    await gone.close();
    const keys = createKeySet({ url: `${gone.url}/auth/jwks` });
    await expect(keys.key('first')).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  test('a withdrawn key is removed by the next fetch', async () => {
    const own = await serveKeys([first.jwk, second.jwk]);
    const keys = createKeySet({ url: own.jwksUrl });
    expect(await keys.key('first')).toBeDefined();
    own.state.jwks = [second.jwk];
    await keys.refresh();
    expect(await keys.key('first')).toBeUndefined();
    await own.close();
  });

  test('keys of other types are skipped', async () => {
    const own = await serveKeys([
      { kty: 'oct', kid: 'hmac', k: 'c2VjcmV0' },
      { ...first.jwk, kid: 'other-use', use: 'enc' },
      { ...first.jwk, kid: 'other-algorithm', alg: 'ES384' },
      first.jwk,
    ]);
    const keys = createKeySet({ url: own.jwksUrl });
    expect(await keys.key('first')).toBeDefined();
    for (const kid of ['hmac', 'other-use', 'other-algorithm']) expect(await keys.key(kid)).toBeUndefined();
    await own.close();
  });
});
