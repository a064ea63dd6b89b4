import { lookup, Resolver } from 'node:dns/promises';

/** The addresses of a host name, IPv4 first. @throws {Unresolvable} if there is none */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A name has no address, or the name servers do not answer. */
export class Unresolvable extends Error {
  override readonly name = 'Unresolvable';
}

const codeOf = (error: unknown): string => String((error as { readonly code?: unknown } | undefined)?.code ?? error);

/** Name servers answered that there is no such name or no address of this kind. */
const NOTHING: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Makes the resolver of a process. It asks the name servers without occupying a thread, so that a name whose servers do
 * not answer delays no other one. Names that they do not know are looked up by the system (hosts file, search domains).
 */
export const createResolve = (): Resolve => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });

  return async (host) => {
    // RFC 6761, 6.3: these names never leave the machine.
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    const failed = found.find((one) => one.status === 'rejected' && !NOTHING.has(codeOf(one.reason)));
    if (failed?.status === 'rejected') throw new Unresolvable(codeOf(failed.reason));
    const known = await lookup(host, { all: true }).catch((error: unknown) => {
      throw new Unresolvable(codeOf(error));
    });
    return known.map(({ address }) => address);
  };
};
