import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

export interface Peer {
  /** The connection's address, or the one that a trusted proxy reports. */
  readonly address: string;
  readonly trusted: boolean;
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

type IsTrusted = (address: string) => boolean;

export function createTrust(trustProxy: readonly string[]): IsTrusted {
  const ranges: readonly Range[] = trustProxy.map((range) => ipaddr.parseCIDR(range));
  return (address) => {
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
  };
}

/** True if the client's connection to the trusted proxy is. */
export function isOverTls({ headers: { 'x-forwarded-proto': proto } }: IncomingMessage): boolean {
  return proto === 'https' || last(proto) === 'https';
}

/** Proxies append at the end. */
const last = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim().toLowerCase() ?? '';

/** `isTrusted` selects the proxies whose `X-Forwarded-*` headers count. */
export function createPeers(isTrusted: IsTrusted): (request: IncomingMessage) => Peer {
  const connections = new WeakMap<object, Peer>();

  const getConnection = ({ socket }: IncomingMessage): Peer => {
    const known = connections.get(socket);
    if (known) return known;
    const address = normaliseAddress(socket.remoteAddress);
    const peer = { address, trusted: isTrusted(address) };
    connections.set(socket, peer);
    return peer;
  };

  /** The last address that is not a trusted proxy; clients control the entries before it. */
  const findClient = (header: string, connection: string): string => {
    let client = connection;
    for (const entry of header.split(',').reverse()) {
      const address = normaliseAddress(entry.trim());
      if (address === 'unknown') return client;
      client = address;
      if (!isTrusted(address)) return client;
    }
    return client;
  };

  return (request) => {
    const connection = getConnection(request);
    const header = connection.trusted ? request.headers['x-forwarded-for'] : undefined;
    if (typeof header !== 'string') return connection;
    return { address: findClient(header, connection.address), trusted: true };
  };
}

const normaliseAddress = (address: string | undefined): string =>
  address !== undefined && ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';
