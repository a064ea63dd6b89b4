import { BlockList, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Networks that are not part of the public Internet, and what a refusal calls them. */
const INTERNAL: readonly (readonly [cidr: string, name: string])[] = [
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'shared'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'private'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'private'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['64:ff9b:1::/48', 'private'],
  ['100::/64', 'reserved'],
  ['2001::/32', 'reserved'],
  ['fc00::/7', 'unique-local'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'private'],
  ['ff00::/8', 'multicast'],
];

/**
 * IPv6 networks whose addresses stand for IPv4 addresses, with the position of the IPv4 bytes: compatible and mapped
 * (RFC 4291, 2.5.5), translated (RFC 2765), NAT64 (RFC 6052), 6to4 (RFC 3056).
 */
const EMBEDDING: readonly (readonly [cidr: string, at: number])[] = [
  ['::/96', 12],
  ['::ffff:0:0/96', 12],
  ['::ffff:0:0:0/96', 12],
  ['64:ff9b::/96', 12],
  ['2002::/16', 2],
];

type Network = ReturnType<typeof ipaddr.parseCIDR>;

const networks = INTERNAL.map(([cidr, name]) => ({ network: ipaddr.parseCIDR(cidr), name }));
const embedding = EMBEDDING.map(([cidr, at]) => ({ network: ipaddr.parseCIDR(cidr), at }));

const lies = (address: ReturnType<typeof ipaddr.parse>, network: Network): boolean =>
  address.kind() === network[0].kind() && address.match(network);

/** The address without the zone of an interface. */
const parse = (address: string) => ipaddr.parse(address.split('%', 1)[0] ?? '');

/** The IPv4 address that an IPv6 address stands for; undefined for all others. */
export const embeddedIPv4 = (address: string): string | undefined => {
  if (!isIPv6(address)) return undefined;
  const parsed = parse(address);
  const form = embedding.find(({ network }) => lies(parsed, network));
  // The unspecified and the loopback address lie in the compatible ones, and stand for themselves.
  if (!form || ['unspecified', 'loopback'].includes(parsed.range())) return undefined;
  return parsed
    .toByteArray()
    .slice(form.at, form.at + 4)
    .join('.');
};

/** The kind of internal network that an address lies in, in whatever form it is written; undefined: it is public. */
export const internalNetworkOf = (address: string): string | undefined => {
  const parsed = parse(address);
  const own = networks.find(({ network }) => lies(parsed, network));
  if (own) return own.name;
  const embedded = embeddedIPv4(address);
  return embedded === undefined ? undefined : internalNetworkOf(embedded);
};

/** Whether an address, or the IPv4 address that it stands for, lies in one of the networks (CIDR). */
export const createAllowed = (cidrs: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits] = cidr.split('/');
    list.addSubnet(address, Number(bits), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  const holds = (address: string): boolean =>
    list.check(address.split('%', 1)[0] ?? '', isIPv6(address) ? 'ipv6' : 'ipv4');
  return (address) => {
    const embedded = embeddedIPv4(address);
    return holds(address) || (embedded !== undefined && holds(embedded));
  };
};
