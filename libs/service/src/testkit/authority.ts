import { generateKeyPairSync, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { IDENTITIES_PATH, type IdentityTokenOptions, JWKS_PATH, signIdentity } from '@boxoffice/identity';
import { type Listening, listen } from '@boxoffice/runtime';

/** A fake authorizer: its keys, and the identities that it signs with them. */
export interface Authority {
  readonly listening: Listening;
  sign(audience: string, caller: IdentityTokenOptions['caller']): string;
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
};

/**
 * Creates a fake of the authorizer, which belongs to another package. `service` is the caller of services' own calls.
 */
export const openAuthority = async (service: string): Promise<Authority> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256', use: 'sig' }];
  const sign: Authority['sign'] = (audience, caller) =>
    signIdentity({ kid, privateKey }, { audience, caller, issuedAt: Math.floor(Date.now() / 1_000) });
  const listening = await listen(
    async (request, response) => {
      if (request.url === JWKS_PATH) return void response.end(JSON.stringify({ keys }));
      if (request.url !== IDENTITIES_PATH) return void response.writeHead(404).end();
      const { audience, institution, operation } = JSON.parse(await textOf(request));
      const caller = { institution, operation, client: null, service, scopes: [] };
      const data = { identity: sign(audience, caller), expiresAt: new Date(Date.now() + 60_000).toISOString() };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ status: 'success', details: null, data }));
    },
    { host: '127.0.0.1', port: 0 },
  );
  return { listening, sign };
};
