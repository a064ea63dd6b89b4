import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

const LOCAL = ['0.0.0.0/8', '127.0.0.0/8', '::/128', '::1/128'];

/** What is not public (IANA special-purpose address registries). */
const INTERNAL = [
  ...LOCAL,
  ...['10.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4', '64:ff9b:1::/48', '100::/64', '2001::/32', 'fc00::/7'],
  ...['fe80::/10', 'fec0::/10', 'ff00::/8'],
];

/** The position of the IPv4 bytes (RFC 4291, 2.5.5; RFC 2765; RFC 6052; RFC 3056). */
const EMBEDDING: readonly (readonly [cidr: string, at: number])[] = [
  ['::/96', 12],
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
];

const embedding = EMBEDDING.map(([cidr, at]) => ({ network: ipaddr.parseCIDR(cidr), at }));

const dropZone = (address: string): string => address.split('%', 1)[0] ?? '';

/** Undefined for other addresses. */
const findEmbeddedIPv4 = (address: string): string | undefined => {
  if (!isIPv6(address)) return undefined;
  const parsed = ipaddr.parse(dropZone(address));
  const form = embedding.find(({ network }) => parsed.match(network));
  // These two lie in the compatible network, and stand for themselves.
  if (!form || ['unspecified', 'loopback'].includes(parsed.range())) return undefined;
  return parsed
    .toByteArray()
    .slice(form.at, form.at + 4)
    .join('.');
};

/** Compares the address, or the IPv4 address that it stands for; it may be written in any form. */
const createNetworks = (cidrs: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  const holds = (address: string): boolean => list.check(dropZone(address), isIPv6(address) ? 'ipv6' : 'ipv4');
  return (address) => {
    const embedded = findEmbeddedIPv4(address);
    return holds(address) || (embedded !== undefined && holds(embedded));
  };
};

const isLocalNetwork = createNetworks(LOCAL);
const isInternal = createNetworks(INTERNAL);

/** IPv4 addresses come first. @throws {Unresolvable} if there is no address */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** A name has no address, or the name servers do not answer. */
export class Unresolvable extends Error {
  override readonly name = 'Unresolvable';
}

/** No such name, or no address of this kind. */
const NOTHING: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** A slow name delays no other one. Names that name servers do not know are looked up by the system. */
export function createResolve(): Resolve {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 });

  return async (host) => {
    // RFC 6761, 6.3: these names never leave the machine.
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1', '::1'];
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    const failed = found.find((one) => one.status === 'rejected' && !NOTHING.has(getCode(one.reason)));
    if (failed?.status === 'rejected') throw new Unresolvable(getCode(failed.reason));
    const known = await lookup(host, { all: true }).catch((error: unknown) => {
      throw new Unresolvable(getCode(error));
    });
    return known.map(({ address }) => address);
  };
}

const getCode = (error: unknown): string => String((error as { readonly code?: unknown } | undefined)?.code ?? error);

/** Milliseconds for which it is known where a name leads. */
const LOOK_MS = 30_000;

/** Nothing is ever delivered to a listener of the installation itself. */
type OwnListeners = ReturnType<typeof createOwnListeners>;

interface OwnListenersOptions {
  /** PUBLIC_URL, and the addresses of processes. */
  readonly urls: readonly string[];
  readonly resolve: Resolve;
  /** Ports of listeners on this machine, as of the call. */
  readonly ports: () => Iterable<number>;
  readonly interfaces?: () => readonly string[];
}

/** What leads to an internal address of a process is its listener under any name; a public address may be shared. */
export function createOwnListeners(options: OwnListenersOptions) {
  const { urls, resolve, ports, interfaces = listOwnInterfaces } = options;
  const named = urls.map((text) => new URL(text)).map((url) => ({ host: getHost(url), port: getPort(url) }));

  /** Internal addresses by name, as of the last look that found some. */
  const addresses = new Map<string, readonly string[]>();
  let looked: { readonly at: number; readonly ended: Promise<void> } | undefined;

  const lookUp = async (host: string): Promise<void> => {
    const found = await resolve(host).catch(() => []);
    if (found.length === 0) return;
    addresses.set(host, found.filter(isInternal));
  };

  const isLocal = (address: string): boolean => isLocalNetwork(address) || interfaces().includes(address);

  const portsHere = (): ReadonlySet<number> => {
    const here = named.filter(({ host }) => isLoopbackName(host) || (isIP(host) > 0 && isLocal(host)));
    return new Set([...ports(), ...here.map(({ port }) => port)]);
  };

  const isAt = (address: string, port: number): boolean => {
    const plain = findEmbeddedIPv4(address) ?? address;
    const leadsTo = (host: string) => host === plain || (addresses.get(host) ?? []).includes(plain);
    if (named.some((own) => own.port === port && leadsTo(own.host))) return true;
    return isLocal(plain) && portsHere().has(port);
  };

  const hosts = new Set(named.map(({ host }) => host).filter((host) => isIP(host) === 0));

  return {
    /** Looks up the installation's names, unless that was done within {@link LOOK_MS}. Never rejects. */
    look(): Promise<void> {
      if (!looked || performance.now() - looked.at > LOOK_MS)
        looked = { at: performance.now(), ended: Promise.all([...hosts].map(lookUp)).then(() => undefined) };
      return looked.ended;
    },
    isNamed: (host: string, port: number): boolean =>
      named.some((own) => own.port === port && own.host === host) ||
      (isLoopbackName(host) && portsHere().has(port)) ||
      (isIP(host) > 0 && isAt(host, port)),
    isAt,
  };
}

const listOwnInterfaces = (): string[] =>
  Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));

/** Drops the brackets of an IPv6 address and the dot of the root. */
const getHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** Includes the port of the scheme. */
const getPort = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

const isLoopbackName = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

export type AddressPolicy = ReturnType<typeof createAddressPolicy>;

interface AddressPolicyOptions {
  /** CIDRs that may be connected to, also with http, as of the call. */
  readonly allowed: () => readonly string[];
  readonly own: OwnListeners;
  readonly resolve: Resolve;
}

// Names neither the address nor the reason: whoever registers webhooks could read the private DNS, name by name.
const REFUSED = 'its address is not allowed';

export function createAddressPolicy({ allowed, own, resolve }: AddressPolicyOptions) {
  let known = { cidrs: allowed(), holds: createNetworks(allowed()) };

  const isAllowed = (address: string): boolean => {
    const cidrs = allowed();
    if (cidrs !== known.cidrs) known = { cidrs, holds: createNetworks(cidrs) };
    return known.holds(address);
  };

  /** Undefined if the URL may be connected to at this address. */
  const findRefusal = (url: URL, address: string): string | undefined => {
    if (own.isNamed(getHost(url), getPort(url)) || own.isAt(address, getPort(url))) return REFUSED;
    if (isAllowed(address)) return undefined;
    if (url.protocol !== 'https:') return 'it is not https';
    return isInternal(address) ? REFUSED : undefined;
  };

  /** @throws {Unresolvable} if there is none */
  const findAddresses = async (url: URL): Promise<readonly string[]> => {
    const host = getHost(url);
    await own.look();
    return isIP(host) > 0 ? [host] : resolve(host);
  };

  return {
    findRefusal,
    findAddresses,
    /** Undefined if the URL can be registered, with https also if its name does not resolve yet. */
    async findRefusalToRegister(url: URL): Promise<string | undefined> {
      if (own.isNamed(getHost(url), getPort(url))) return REFUSED;
      if (url.protocol !== 'https:' && allowed().length === 0) return 'it is not https';
      try {
        const addresses = await findAddresses(url);
        return addresses.map((address) => findRefusal(url, address)).find((reason) => reason !== undefined);
      } catch (error) {
        if (!(error instanceof Unresolvable)) throw error;
        // What leads nowhere leads to no allowed network either.
        return url.protocol === 'https:' ? undefined : 'it is not https';
      }
    },
  };
}
