import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { embeddedIPv4, internalNetworkOf } from './networks.ts';
import type { Resolve } from './resolve.ts';

/** How long it is known where a name leads, in milliseconds. */
const LOOK_MS = 30_000;

/** Recognises the listeners of the installation itself: nothing is ever delivered to them. */
export type OwnListeners = ReturnType<typeof createOwnListeners>;

interface OwnListenersOptions {
  /** Addresses of the installation: PUBLIC_URL, and those of processes. */
  readonly urls: readonly string[];
  readonly resolve: Resolve;
  /** The ports of listeners on this machine, as of the call. */
  readonly ports: () => Iterable<number>;
  /** The addresses of this machine's interfaces. */
  readonly interfaces?: () => readonly string[];
}

const ownInterfaces = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));

/** The port of a URL, also where it is that of the scheme. */
export const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

/** The host of a URL without the brackets of an IPv6 address and the dot of the root. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

/**
 * Makes the check of own listeners. What leads to an internal address of a process under another name is its listener,
 * too; a public address may be one of a provider, which others share, and counts by its name alone.
 */
export const createOwnListeners = (options: OwnListenersOptions) => {
  const { urls, resolve, ports, interfaces = ownInterfaces } = options;
  const named = urls.map((text) => new URL(text)).map((url) => ({ host: hostOf(url), port: portOf(url) }));

  /** Internal addresses of the names, as of the last look that found some. */
  const addresses = new Map<string, readonly string[]>();
  let looked: { readonly at: number; readonly ended: Promise<void> } | undefined;

  const lookUp = async (host: string): Promise<void> => {
    const found = await resolve(host).catch(() => []);
    if (found.length === 0) return;
    addresses.set(
      host,
      found.filter((address) => internalNetworkOf(address) !== undefined),
    );
  };

  const isLocal = (address: string): boolean =>
    ['loopback', 'unspecified'].includes(internalNetworkOf(address) ?? '') || interfaces().includes(address);

  const portsHere = (): ReadonlySet<number> => {
    const here = named.filter(({ host }) => isLoopbackName(host) || (isIP(host) > 0 && isLocal(host)));
    return new Set([...ports(), ...here.map(({ port }) => port)]);
  };

  /** Whether a listener would answer at this address and port. */
  const isAt = (address: string, port: number): boolean => {
    const plain = embeddedIPv4(address) ?? address;
    const leadsTo = (host: string) => host === plain || (addresses.get(host) ?? []).includes(plain);
    if (named.some((own) => own.port === port && leadsTo(own.host))) return true;
    return isLocal(plain) && portsHere().has(port);
  };

  const hosts = new Set(named.map(({ host }) => host).filter((host) => isIP(host) === 0));

  return {
    /** Looks up where the names of the installation lead, unless that was done within {@link LOOK_MS}. Never rejects. */
    look(): Promise<void> {
      if (!looked || performance.now() - looked.at > LOOK_MS)
        looked = { at: performance.now(), ended: Promise.all([...hosts].map(lookUp)).then(() => undefined) };
      return looked.ended;
    },
    /** Whether the host of an address as it is written, with its port, is one of them. */
    isNamed: (host: string, port: number): boolean =>
      named.some((own) => own.port === port && own.host === host) ||
      (isLoopbackName(host) && portsHere().has(port)) ||
      (isIP(host) > 0 && isAt(host, port)),
    isAt,
  };
};
