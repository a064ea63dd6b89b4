import { hash, timingSafeEqual } from 'node:crypto';

/** The result of checking a service's secret, with the reason if it is wrong. */
export type Verdict = { readonly right: true } | { readonly right: false; readonly reason: string };

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * Creates the check of a service's SERVICE_SECRET; `derive` computes each service's secret from the root. If the secret
 * is that of another service, or the root secret (SERVICE_ROOT_SECRET), the reason says so, in the answer to the caller.
 * Secrets are compared in constant time.
 */
export const createSecretCheck = (
  root: string,
  services: readonly string[],
  derive: (root: string, service: string) => string,
): ((service: string, secret: string) => Verdict) => {
  const known = services.map((name) => ({ name, digest: digest(derive(root, name)) }));
  const rootDigest = digest(root);
  return (service, secret) => {
    const offered = digest(secret);
    const isRoot = timingSafeEqual(offered, rootDigest);
    const owners = known.filter((one) => timingSafeEqual(offered, one.digest)).map(({ name }) => name);
    if (!services.includes(service)) return { right: false, reason: 'this installation has no process of this name' };
    if (owners.includes(service)) return { right: true };
    if (owners[0] !== undefined)
      return { right: false, reason: `SERVICE_SECRET is that of ${owners[0]}, not of ${service}` };
    if (isRoot)
      return { right: false, reason: `SERVICE_SECRET is the root secret itself, not the one derived for ${service}` };
    return { right: false, reason: `SERVICE_SECRET is not the one that the authorizer derives for ${service}` };
  };
};
