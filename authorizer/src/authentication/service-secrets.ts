import { hash, timingSafeEqual } from 'node:crypto';

/** The result of checking a process's secret, with the reason if it is wrong. */
export type Verdict = { readonly right: true } | { readonly right: false; readonly reason: string };

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * Makes the check of SERVICE_SECRETs; `derive` computes each process's secret from the root. A secret is compared in
 * constant time with those of all processes, so that a mixed-up one is named.
 */
export const createSecretCheck = (
  root: string,
  processes: readonly string[],
  derive: (root: string, process: string) => string,
): ((process: string, secret: string) => Verdict) => {
  const known = processes.map((name) => ({ name, digest: digest(derive(root, name)) }));
  const rootDigest = digest(root);
  return (process, secret) => {
    const offered = digest(secret);
    const isRoot = timingSafeEqual(offered, rootDigest);
    const owners = known.filter((one) => timingSafeEqual(offered, one.digest)).map(({ name }) => name);
    if (!processes.includes(process)) return { right: false, reason: 'this installation has no process of this name' };
    if (owners.includes(process)) return { right: true };
    if (owners[0] !== undefined)
      return { right: false, reason: `SERVICE_SECRET is that of ${owners[0]}, not of ${process}` };
    if (isRoot)
      return { right: false, reason: `SERVICE_SECRET is the root secret itself, not the one derived for ${process}` };
    return { right: false, reason: `SERVICE_SECRET is not the one that the authorizer derives for ${process}` };
  };
};
