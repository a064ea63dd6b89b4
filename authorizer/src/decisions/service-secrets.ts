import { hash, timingSafeEqual } from 'node:crypto';
import { Fault } from '@boxoffice/envelope';
import { deriveServiceSecret } from '@boxoffice/runtime';
import type { ServiceList } from '@boxoffice/runtime/services';
import { type FailedAuthentication, isBasic, readBasic } from '../clients/authentication.ts';

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * Creates the authentication of services: HTTP Basic with the service's name and its own SERVICE_SECRET, which is derived
 * from the root secret (SERVICE_ROOT_SECRET). Returns the name of one that may call the operation. Secrets are compared
 * in constant time.
 * @throws {Fault} unauthorized, with a reason that names the service that the secret belongs to, if it is another one; forbidden
 */
export const createServiceAuthentication = (
  rootSecret: string,
  services: Pick<ServiceList, 'rows'>,
  onFailure: FailedAuthentication,
) => {
  const digests = new Map<string, Buffer>();
  const digestOf = (name: string): Buffer => {
    const found = digests.get(name) ?? digest(deriveServiceSecret(rootSecret, name));
    digests.set(name, found);
    return found;
  };
  /** Every process that authenticates, each with its own secret; the authorizer has the root. */
  const present = () => services.rows().flatMap(({ name }) => (name === 'authorizer' ? [] : [name]));
  const root = digest(rootSecret);

  /** What is wrong with a service's secret; undefined if it is right. */
  const problemOf = (service: string, secret: string): string | undefined => {
    const offered = digest(secret);
    const isRoot = timingSafeEqual(offered, root);
    const known = present();
    const owners = known.filter((name) => timingSafeEqual(offered, digestOf(name)));
    if (!known.includes(service)) return 'this installation has no process of this name';
    if (owners.includes(service)) return undefined;
    if (owners[0] !== undefined) return `SERVICE_SECRET is that of ${owners[0]}, not of ${service}`;
    if (isRoot) return `SERVICE_SECRET is the root secret itself, not the one derived for ${service}`;
    return `SERVICE_SECRET is not the one that the authorizer derives for ${service}`;
  };

  const refuse = (reason: string, details: string): never => {
    onFailure({ clientId: undefined, reason });
    throw new Fault('unauthorized', details);
  };

  return (authorization: string | undefined, operation: string): string => {
    const credentials = isBasic(authorization) ? readBasic(authorization) : undefined;
    if (!credentials)
      return refuse(
        'a service without valid HTTP Basic credentials',
        'This operation requires HTTP Basic with a service’s name and its SERVICE_SECRET.',
      );
    const problem = problemOf(credentials.id, credentials.secret);
    if (problem !== undefined) return refuse(problem, `${problem}.`);
    const only = onlyCallerOf(operation) ?? credentials.id;
    if (credentials.id !== only) throw new Fault('forbidden', `Only the process ${only} may call this operation.`);
    return credentials.id;
  };
};

/** The one caller of each of the authorizer's own internal operations; any process may call the others. */
const ONLY_FOR: Readonly<Record<string, string>> = {
  decide: 'gateway',
  decidePublic: 'gateway',
  getClientScopes: 'events',
  listOrigins: 'gateway',
  listRevocations: 'gateway',
  recordUsage: 'gateway',
  verifyApiKey: 'gateway',
};

/** The one process that may call this operation of the authorizer; undefined: any. */
export const onlyCallerOf = (operation: string): string | undefined => ONLY_FOR[operation];
