import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** The sender of a request, from the connection and trusted proxies. */
export interface Peer {
  /** The client's address: the connection's, or the one that a trusted proxy reports. */
  readonly address: string;
  /** Whether the connection comes from a trusted proxy. */
  readonly trusted: boolean;
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Whether an address belongs to a trusted proxy. */
type IsTrusted = (address: string) => boolean;

/** Makes the check from CIDR ranges. */
export function createTrust(trustProxy: readonly string[]): IsTrusted {
  const ranges: readonly Range[] = trustProxy.map((range) => ipaddr.parseCIDR(range));
  return (address) => {
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
  };
}

/** Whether the client's connection to the trusted proxy used TLS. */
export function isOverTls({ headers: { 'x-forwarded-proto': proto } }: IncomingMessage): boolean {
  return proto === 'https' || last(proto) === 'https';
}

/** The last value of a list header; proxies append at the end. */
const last = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim().toLowerCase() ?? '';

/**
 * Makes the function that determines a request's peer; `isTrusted` selects the proxies whose `X-Forwarded-*` headers
 * count.
 */
export function createPeers(isTrusted: IsTrusted): (request: IncomingMessage) => Peer {
  const connections = new WeakMap<object, Peer>();

  const connectionOf = ({ socket }: IncomingMessage): Peer => {
    const known = connections.get(socket);
    if (known) return known;
    const address = normalised(socket.remoteAddress);
    const peer = { address, trusted: isTrusted(address) };
    connections.set(socket, peer);
    return peer;
  };

  /** The last address of X-Forwarded-For that is not a trusted proxy; clients control the entries before it. */
  const forwardedFor = (header: string, connection: string): string => {
    let client = connection;
    for (const entry of header.split(',').reverse()) {
      const address = normalised(entry.trim());
      if (address === 'unknown') return client;
      client = address;
      if (!isTrusted(address)) return client;
    }
    return client;
  };

  return (request) => {
    const connection = connectionOf(request);
    const header = connection.trusted ? request.headers['x-forwarded-for'] : undefined;
    if (typeof header !== 'string') return connection;
    return { address: forwardedFor(header, connection.address), trusted: true };
  };
}

const normalised = (address: string | undefined): string =>
  address !== undefined && ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';
