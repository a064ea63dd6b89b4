import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Who a request comes from, as far as the connection and trusted proxies tell. */
export interface Peer {
  /** The client's address: the connection's, or what a trusted proxy says. */
  readonly address: string;
  /** Whether the connection's other end is a proxy that we trust. */
  readonly trusted: boolean;
}

type Range = ReturnType<typeof ipaddr.parseCIDR>;

const normalised = (address: string | undefined): string =>
  address !== undefined && ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';

/** Whether an address is that of a proxy that we trust. */
export type IsTrusted = (address: string) => boolean;

/** Makes it from CIDR ranges. */
export const createTrust = (trustProxy: readonly string[]): IsTrusted => {
  const ranges: readonly Range[] = trustProxy.map((range) => ipaddr.parseCIDR(range));
  return (address) => {
    if (ranges.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits));
  };
};

/** The last value of a header that proxies append to. */
const last = (header: string | string[] | undefined): string =>
  (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').at(-1)?.trim().toLowerCase() ?? '';

/** Whether the trusted proxy that sent this request got it over TLS. */
export const cameOverTls = ({ headers: { 'x-forwarded-proto': proto } }: IncomingMessage): boolean =>
  proto === 'https' || last(proto) === 'https';

/** Makes the reading of addresses. `isTrusted`: the proxies whose `X-Forwarded-*` are believed. */
export const createPeers = (isTrusted: IsTrusted): ((request: IncomingMessage) => Peer) => {
  const connections = new WeakMap<object, Peer>();

  const connectionOf = ({ socket }: IncomingMessage): Peer => {
    const known = connections.get(socket);
    if (known) return known;
    const address = normalised(socket.remoteAddress);
    const peer = { address, trusted: isTrusted(address) };
    connections.set(socket, peer);
    return peer;
  };

  /** The nearest address that no proxy of ours has, read from the end, since a client can write what it likes at the front. */
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
};
