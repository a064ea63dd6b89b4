import { Fault } from '@boxoffice/envelope';
import { IDENTITY_LIFETIME_SECONDS, type SigningKey, signIdentity } from '@boxoffice/identity';
import { deriveServiceSecret } from '@boxoffice/runtime';
import type { FailedAuthentication } from '../authentication/authenticate-client.ts';
import { isBasic, readBasic } from '../authentication/basic.ts';
import { createSecretCheck } from '../authentication/service-secrets.ts';
import { mayCall, SERVICES } from '../domain/callers.ts';
import type { Decision } from './decide.ts';

/** A service's request for an identity: for one operation of another service and one institution. */
export interface ServiceIdentityRequest {
  readonly audience: string;
  /** Empty for operations without an institution. */
  readonly institution: string;
  readonly operation: string;
}

export interface ServiceIdentityDependencies {
  readonly signingKey: () => SigningKey;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Creates the authentication of services: HTTP Basic with the service's name and its own SERVICE_SECRET. Returns the
 * name.
 * @throws {Fault} unauthorized; the details name the service that the secret belongs to, if it is another one
 */
export const createServiceAuthentication = (rootSecret: string, onFailure: FailedAuthentication) => {
  const check = createSecretCheck(rootSecret, SERVICES, deriveServiceSecret);
  return (authorization: string | undefined): string => {
    const credentials = isBasic(authorization) ? readBasic(authorization) : undefined;
    if (!credentials) {
      onFailure({ clientId: undefined, reason: 'a service without valid HTTP Basic credentials' });
      throw new Fault(
        'unauthorized',
        'This operation requires HTTP Basic with a service’s name and its SERVICE_SECRET.',
      );
    }
    const verdict = check(credentials.id, credentials.secret);
    if (verdict.right) return credentials.id;
    onFailure({ clientId: undefined, reason: verdict.reason });
    throw new Fault('unauthorized', `${verdict.reason}.`);
  };
};

/** Makes identities for services, from the list of allowed calls. @throws {Fault} forbidden for any other call */
export const createIdentifyService =
  ({ signingKey, now }: ServiceIdentityDependencies) =>
  (service: string, { audience, institution, operation }: ServiceIdentityRequest): Decision => {
    if (!mayCall(service, audience, operation))
      throw new Fault('forbidden', `${service} may not call ${operation} of ${audience}.`);
    const issuedAt = Math.floor(now() / 1000);
    // A service has no scopes, which belong to clients: it may call this one operation.
    const caller = { institution, client: null, service, scopes: [], operation };
    return {
      identity: signIdentity(signingKey(), { audience, caller, issuedAt }),
      expiresAt: new Date((issuedAt + IDENTITY_LIFETIME_SECONDS) * 1000).toISOString(),
    };
  };
