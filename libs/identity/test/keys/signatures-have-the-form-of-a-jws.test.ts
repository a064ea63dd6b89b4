import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import jwt from 'jsonwebtoken';
import { signJws } from '../../src/index.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicKey = createPublicKey(privateKey);

describe('tokens are signed with ES256', () => {
  test('a signature is two numbers of 32 octets, short ones included (RFC 7518, 3.4)', () => {
    let short = 0;
    // One of 128 signatures has a number of fewer octets; it goes on until there were three.
    for (let index = 0; short < 3; index += 1) {
      const token = signJws(JSON.stringify({ index }), { type: 'JWT', kid: 'k' }, privateKey);
      const dot = token.lastIndexOf('.');
      const signature = Buffer.from(token.slice(dot + 1), 'base64url');
      expect(signature).toHaveLength(64);
      const key = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(verify('sha256', Buffer.from(token.slice(0, dot)), key, signature)).toBe(true);
      if (signature[0] === 0 || signature[32] === 0) short += 1;
    }
  });

  test('other implementations read it: header, payload beyond ASCII, signature', () => {
    const payload = { name: 'Zoë', exp: 4_000_000_000 };
    const token = signJws(JSON.stringify(payload), { type: 'at+jwt', kid: 'k1' }, privateKey);
    const read = jwt.verify(token, publicKey, { algorithms: ['ES256'], complete: true });
    expect(read.header).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'k1' });
    expect(read.payload).toEqual(payload);
    expect(() => jwt.verify(`${token.slice(0, -8)}AAAAAAAA`, publicKey)).toThrow('invalid signature');
  });
});
