import ipaddr from 'ipaddr.js';

/**
 * The network that limits count an address by: an IPv6 address by its /64 network, since one host usually has all of
 * it; an IPv4 address, also one mapped into IPv6 (RFC 4291, 2.5.5.2), by itself in dotted form. Anything else stays as
 * it is.
 */
export const networkOf = (address: string): string => {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const [groups = ''] = parsed.toNormalizedString().split('%', 1);
  return `${groups.split(':').slice(0, 4).join(':')}::/64`;
};
