import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { embeddedIPv4, internalNetworkOf } from './networks.ts';

/** Recognises the listeners of the installation itself: nothing is ever delivered to them. */
export interface OwnListeners {
  /** Whether the host of an address as it is written, with its port, is one of them. */
  isNamed(hostname: string, port: number): boolean;
  /** Whether a listener would answer at this address and port. */
  isAt(address: string, port: number): boolean;
}

export interface OwnListenersOptions {
  /** Addresses of the installation: PUBLIC_URL, and those of processes. */
  readonly urls: readonly string[];
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

/** Makes the check of own listeners. */
export const createOwnListeners = (options: OwnListenersOptions): OwnListeners => {
  const { urls, ports, interfaces = ownInterfaces } = options;
  const named = urls.map((text) => new URL(text)).map((url) => ({ host: hostOf(url), port: portOf(url) }));

  const isLocal = (address: string): boolean =>
    ['loopback', 'unspecified'].includes(internalNetworkOf(address) ?? '') || interfaces().includes(address);

  const portsHere = (): ReadonlySet<number> => {
    const here = named.filter(({ host }) => isLoopbackName(host) || (isIP(host) > 0 && isLocal(host)));
    return new Set([...ports(), ...here.map(({ port }) => port)]);
  };

  const isAt = (address: string, port: number): boolean => {
    const plain = embeddedIPv4(address) ?? address;
    if (named.some((own) => own.port === port && own.host === plain)) return true;
    return isLocal(plain) && portsHere().has(port);
  };

  return {
    isNamed: (host, port) =>
      named.some((own) => own.port === port && own.host === host) ||
      (isLoopbackName(host) && portsHere().has(port)) ||
      (isIP(host) > 0 && isAt(host, port)),
    isAt,
  };
};
