import { hash, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { IDENTITY_LIFETIME_SECONDS, type SigningKey, signIdentity } from '@boxoffice/identity';
import type { FailedAuthentication } from './authenticate-client.ts';
import { isBasic, readBasic } from './basic.ts';
import type { Decision } from './decide.ts';
import { mayCall, SERVICES } from './domain/callers.ts';

/** What a service asks: an identity for one operation of another service, for one institution. */
export interface ServiceQuestion {
  readonly audience: string;
  /** Empty for what belongs to no institution. */
  readonly institution: string;
  readonly operation: string;
}

export interface ServiceIdentityDependencies {
  readonly signingKey: () => SigningKey;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Makes the check of services: HTTP Basic with the service's name and the installation's SERVICE_SECRET. Answers the name.
 * @throws {Fault} unauthorized
 */
export const createServiceAuthentication = (serviceSecret: string, failed: FailedAuthentication) => {
  const expected = hash('sha256', serviceSecret, 'buffer');
  return (authorization: string | undefined): string => {
    const credentials = isBasic(authorization) ? readBasic(authorization) : undefined;
    const matches = timingSafeEqual(hash('sha256', credentials?.secret ?? '', 'buffer'), expected);
    if (credentials && matches && SERVICES.includes(credentials.id)) return credentials.id;
    failed({ clientId: undefined, reason: 'a service without its secret' });
    throw new Fault('unauthorized', 'This operation is for the services of this installation.');
  };
};

/** Makes identities for services, from the list of who may call whom. Throws Fault `forbidden` for any other call. */
export const createIdentifyService =
  ({ signingKey, now }: ServiceIdentityDependencies) =>
  (service: string, { audience, institution, operation }: ServiceQuestion): Decision => {
    if (!mayCall(service, audience)) throw new Fault('forbidden', `${service} may not call ${audience}.`);
    const issuedAt = Math.floor(now() / 1000);
    // No scopes: those are a client's. What a service may do is the one operation.
    const caller = { institution, client: null, service, scopes: [], operation };
    return {
      identity: signIdentity(signingKey(), { audience, caller, issuedAt }),
      expiresAt: new Date((issuedAt + IDENTITY_LIFETIME_SECONDS) * 1000).toISOString(),
    };
  };
