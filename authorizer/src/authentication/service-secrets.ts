import { hash, timingSafeEqual } from 'node:crypto';

/** What a process's secret turned out to be: its own, or why it is not. */
export type Verdict = { readonly right: true } | { readonly right: false; readonly reason: string };

const digest = (text: string): Buffer => hash('sha256', text, 'buffer');

/**
 * Makes the check of what processes prove themselves with. `derive` gives each process's secret from the root. Every secret is compared in
 * constant time and with all of them, so that one process's is never taken for another's, and a mix-up is named.
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
    if (!processes.includes(process)) return { right: false, reason: 'no process of this installation has this name' };
    if (owners.includes(process)) return { right: true };
    if (owners[0] !== undefined)
      return { right: false, reason: `SERVICE_SECRET is that of ${owners[0]}, not of ${process}` };
    if (isRoot)
      return { right: false, reason: `SERVICE_SECRET is the root secret itself, not the one derived for ${process}` };
    return { right: false, reason: `SERVICE_SECRET is not the one that the authorizer derives for ${process}` };
  };
};
