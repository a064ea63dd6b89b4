import { createHash, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { accessClaims } from '../../src/tokens/claims.ts';
import { createSigner } from '../../src/tokens/signer.ts';

const newKey = (kid: string) => ({ kid, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) });

const claims = () =>
  accessClaims({
    issuer: 'https://x',
    client: { id: 'cli_1', institution: 'opera' },
    origin: { grantId: undefined, secretId: 'sec_1' },
    scopes: ['catalog:read'],
    lifetime: 900,
    now: Date.now(),
  });

describe('tokens are signed in a thread', () => {
  test('each request gets its own token, signed by the key that it named', async () => {
    const signer = createSigner();
    const keys = [newKey('a'), newKey('b')];
    const wanted = Array.from({ length: 200 }, (_, i) => ({ key: keys[i % 2] ?? newKey('c'), claims: claims() }));
    const tokens = await Promise.all(wanted.map(({ key, claims: each }) => signer.sign(key, each)));
    for (const [index, [token]] of tokens.entries()) {
      const { key, claims: each } = wanted[index] ?? { key: newKey('d'), claims: claims() };
      const { header, payload } = jwt.verify(token, key.publicKey, { algorithms: ['ES256'], complete: true });
      expect(header).toEqual({ typ: 'at+jwt', alg: 'ES256', kid: key.kid });
      expect(payload).toEqual(each);
    }
    await signer.close();
  });

  test('an ID token is signed with its access token, whose hash it has', async () => {
    const signer = createSigner();
    const key = newKey('a');
    const pairs = await Promise.all(
      ['one', 'two'].map((sub) => signer.sign(key, claims(), { sub, exp: 4_000_000_000 })),
    );
    for (const [index, [access, id = '']] of pairs.entries()) {
      const { header, payload } = jwt.verify(id, key.publicKey, { algorithms: ['ES256'], complete: true });
      expect(header).toEqual({ typ: 'JWT', alg: 'ES256', kid: 'a' });
      const half = createHash('sha256').update(access).digest().subarray(0, 16).toString('base64url');
      expect(payload).toMatchObject({ sub: ['one', 'two'][index], at_hash: half });
    }
    await signer.close();
  });

  test('tokens in flight when the thread dies, and later ones, are signed without it', async () => {
    const signer = createSigner();
    const key = newKey('a');
    const inFlight = Array.from({ length: 50 }, () => signer.sign(key, claims()));
    await signer.close();
    for (const [token] of [...(await Promise.all(inFlight)), await signer.sign(key, claims())]) {
      jwt.verify(token, key.publicKey, { algorithms: ['ES256'] });
    }
  });
});
