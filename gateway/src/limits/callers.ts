import type { IncomingMessage } from 'node:http';
import { INSTITUTION_HEADER, KNOWN_SESSION_HEADER } from '@boxoffice/http';
import type { AccessClaims } from '@boxoffice/identity';
import { toNetwork } from '@boxoffice/runtime';
import type { Exchange } from '../exchange/exchange.ts';
import type { Holder } from '../forwarding/in-flight.ts';
import { createNewest } from './newest.ts';

// Limits and slots are counted by nothing but what was verified.

export const SESSION_HEADER = 'x-auth-token';
const SERVICE_HOST = 'x-service-host';

type Reply = Pick<IncomingMessage, 'headers'>;

/** Only a session that the service has made, or has verified. */
export function readVerifiedSession({ request }: Exchange, { headers }: Reply): string | undefined {
  const isVerified = headers[KNOWN_SESSION_HEADER] !== undefined;
  const token = headers[SESSION_HEADER] ?? (isVerified ? request.headers[SESSION_HEADER] : undefined);
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** Each user at a client has a quota of its own, beside the client's. */
export function toPrincipal({ client_id, role, sub }: AccessClaims): string {
  return role === undefined ? client_id : `${client_id}/${sub}`;
}

/** Points of sale that their service has not named yet, or that are invented, are counted together. */
const UNKNOWN = '';
const HOSTS = 10_000;

export function createHolders() {
  const institutions = createNewest<string>(HOSTS);
  const hostOf = ({ request }: Exchange): string => String(request.headers[SERVICE_HOST] ?? '').toLowerCase();
  return {
    /** The client, its user or the key, else a network; and the institution, in family B that of the point of sale. */
    findHolder(exchange: Exchange): Holder {
      const { claims, isPublic, apiKey, address, family } = exchange;
      if (claims) return { caller: `client ${toPrincipal(claims)}`, institution: claims.institution };
      if (isPublic && apiKey) return { caller: `key ${apiKey.apiKeyId}`, institution: apiKey.institution };
      const institution = family === 'B' ? (institutions.get(hostOf(exchange)) ?? UNKNOWN) : undefined;
      return { caller: `network ${toNetwork(address)}`, institution };
    },
    /** Remembers the institution of the point of sale. */
    learn(exchange: Exchange, { headers: { [INSTITUTION_HEADER]: institution } }: Reply): void {
      if (typeof institution === 'string') institutions.set(hostOf(exchange), institution);
    },
  };
}
