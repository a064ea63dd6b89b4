import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createKeySet } from '../../src/index.ts';
import { newKey, serve, serveKeys } from '../authority.ts';

const first = newKey('first');
const second = newKey('second');
let document: Awaited<ReturnType<typeof serveKeys>>;

beforeAll(async () => {
  document = await serveKeys([first.jwk]);
});
afterAll(() => document.close());

const clock = () => {
  const state = { at: 1_000_000 };
  return { state, now: () => state.at };
};

describe('an unknown kid refetches once', () => {
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
