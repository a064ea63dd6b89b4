import { timestamp } from '@boxoffice/http';
import type { Fact } from '@boxoffice/store';
import { Type } from 'typebox';

/** A client's scopes or secrets changed, or it was deleted: cached decisions for it are invalid. */
interface ClientChanged {
  readonly clientId: string;
  readonly deleted: boolean;
}

interface TokenRevoked {
  readonly clientId: string;
  readonly jti: string;
  /** ISO 8601 UTC: when the token would have expired; the revocation can be forgotten then. */
  readonly expiresAt: string;
}

/** The events of this service; every gateway instance subscribes to both. */
const CLIENT_CHANGED = 'client.changed';
const TOKEN_REVOKED = 'token.revoked';

export function createClientChangedFact(data: ClientChanged): Fact {
  return { type: CLIENT_CHANGED, key: data.clientId, data };
}

export function createTokenRevokedFact(data: TokenRevoked): Fact {
  return { type: TOKEN_REVOKED, key: data.clientId, data };
}

export const examples = {
  [CLIENT_CHANGED]: { clientId: 'cli_3q2-7wAAAAAAAAAAAAAAAA', deleted: false } satisfies ClientChanged,
  [TOKEN_REVOKED]: {
    clientId: 'cli_3q2-7wAAAAAAAAAAAAAAAA',
    jti: 'sec_Jx0aP4hV7nB2mK9s.f3c1a2b4-5d6e-4f70-8192-a3b4c5d6e7f8',
    expiresAt: '2026-03-01T12:15:00.000Z',
  } satisfies TokenRevoked,
} as const;

/** The guaranteed members of each event: consumers may rely on them, and the next release keeps them. */
export const schemas = {
  [CLIENT_CHANGED]: Type.Object(
    { clientId: Type.String(), deleted: Type.Boolean() },
    {
      description:
        'The scopes, secrets or bounds of a client changed, or it was deleted; cached decisions for it are invalid.',
    },
  ),
  [TOKEN_REVOKED]: Type.Object(
    { clientId: Type.String(), jti: Type.String(), expiresAt: timestamp },
    { description: 'An access token was revoked before it expired.' },
  ),
} as const;
