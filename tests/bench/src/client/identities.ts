import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Caller, IDENTITY_HEADER, JWKS_PATH, signIdentity } from '@boxoffice/identity';

/** Replaces the authorizer for one service: publishes a key and signs identities with it. */
export interface Identities {
  readonly authorizerUrl: string;
  /** The headers of a call; signed once per caller and reused, as by a gateway's cache. */
  headers(caller: Pick<Caller, 'institution' | 'operation' | 'scopes'>): Record<string, string>;
  close(): void;
}

export const startIdentities = async (audience: string): Promise<Identities> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const document = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }],
  });
  const server = createServer((request, response) => {
    response.writeHead(request.url === JWKS_PATH ? 200 : 404, { 'Content-Type': 'application/json' }).end(document);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const signed = new Map<string, { until: number; headers: Record<string, string> }>();
  return {
    authorizerUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers(caller) {
      const name = JSON.stringify(caller);
      const known = signed.get(name);
      if (known && known.until > Date.now()) return known.headers;
      const token = signIdentity(
        { kid, privateKey },
        { audience, caller: { ...caller, client: 'bench', service: null }, issuedAt: Math.floor(Date.now() / 1000) },
      );
      const headers = { [IDENTITY_HEADER]: token };
      signed.set(name, { until: Date.now() + 30_000, headers });
      return headers;
    },
    close: () => server.close(),
  };
};
