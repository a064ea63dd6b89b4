import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import jwt from 'jsonwebtoken';
import type { SigningKey } from '../src/index.ts';

/** A key pair as the authorizer has it, and its public JWK. */
export function createSigningKey(kid: string): SigningKey & { readonly publicKey: KeyObject; readonly jwk: object } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'ES256' } };
}

/** Serves on a free port of the loopback interface. */
export async function serve(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer({ keepAliveTimeout: 600_000 }, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** A key document whose keys and availability a test changes, and which counts its fetches. */
export async function serveKeys(jwks: object[]) {
  const state = { jwks, fetches: 0, down: false };
  // Nobody else knows it: programs of another suite still send to a port that a server of theirs had.
  const path = `/${randomUUID()}`;
  const server = await serve((request, response) => {
    if (request.url !== path) return void response.writeHead(404).end();
    state.fetches += 1;
    response.statusCode = state.down ? 503 : 200;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: state.jwks }));
  });
  return { state, ...server, jwksUrl: server.url + path };
}

/** Signs claims with an arbitrary header, as an attacker or another program could. */
export function signAs(key: SigningKey, claims: object, header: object = {}): string {
  return jwt.sign(JSON.parse(JSON.stringify(claims)), key.privateKey, {
    algorithm: 'ES256',
    header: { alg: 'ES256', kid: key.kid, ...header },
  });
}
