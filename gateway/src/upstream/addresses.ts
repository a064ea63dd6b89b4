// Connections to the services: the addresses of a name, a breaker for each, pooled connections.
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createInstances, type Instances } from '@boxoffice/runtime';
import { type Breaker, createBreaker } from './breaker.ts';

/**
 * The addresses of one service with a breaker each: a failing instance does not affect the others. The service as a
 * whole is refused only while every breaker is open.
 */
export interface Addresses extends Pick<Instances, 'leaving'> {
  /** Resolves new connections: the addresses with a closed breaker, preceded by one that is due for a probe. */
  readonly lookup: LookupFunction;
  /** Registers a new connection and maintains its `breaker` for the address that it connects to. */
  track(connection: UpstreamSocket): void;
  /** Whether no known address accepts a request now, without a new resolution. */
  refuses(now: number): boolean;
  /** Whole seconds until a retry makes sense, at least 1. */
  retryAfterSeconds(now: number): number;
  /** `open` while the breakers of all addresses are open. */
  readonly state: 'closed' | 'open';
  /** Number of addresses whose breaker is not closed. */
  readonly open: number;
}

/** A connection with the breaker of its address, once the address is known. */
export interface UpstreamSocket extends Socket {
  breaker: Breaker | undefined;
}

export interface AddressesOptions {
  /** A host name, or an address without brackets. */
  readonly host: string;
  readonly instances?: Instances;
  /** Called when the breaker of an address opens or closes. */
  readonly onChange?: (address: string, state: 'open' | 'closed') => void;
}

/** The breakers of all addresses are open: nothing was sent. */
export class EveryAddressFailing extends Error {
  override readonly name = 'EveryAddressFails';
  readonly code = 'breaker_open';
}

/** Interval of new resolutions while all breakers are open: new instances may exist. Milliseconds. */
const RESOLVE_AGAIN_MS = 1_000;

/** Maximum number of addresses with a remembered breaker; the oldest are evicted. */
const REMEMBERED = 1_000;

/** Makes the addresses of one service. */
export const createAddresses = ({ host, instances = createInstances(), onChange }: AddressesOptions): Addresses => {
  const breakers = new Map<string, Breaker>();
  /** The breakers of the addresses of the last resolution. */
  let known: readonly Breaker[] = [];
  let resolvedAt = 0;

  const breakerOf = (address: string): Breaker => {
    const found = breakers.get(address);
    if (found) return found;
    let reported: 'open' | 'closed' = 'closed';
    const made = createBreaker({
      onChange(state) {
        if (state === 'half-open' || state === reported) return;
        reported = state;
        onChange?.(address, state);
      },
    });
    const [oldest] = breakers.size < REMEMBERED ? [] : breakers.keys();
    if (oldest !== undefined) breakers.delete(oldest);
    breakers.set(address, made);
    return made;
  };

  const isAddress = isIP(host) !== 0;
  if (isAddress) known = [breakerOf(host)];

  const lookup: LookupFunction = (name, options, done) => {
    instances.lookup(name, { ...options, all: true }, (error, found) => {
      if (error || typeof found === 'string') return done(error, found);
      const now = Date.now();
      resolvedAt = now;
      known = found.map(({ address }) => breakerOf(address));
      const serving = found.filter(({ address }) => breakerOf(address).state === 'closed');
      const tried = found.find(({ address }) => breakerOf(address).state !== 'closed' && breakerOf(address).enter(now));
      const usable = tried ? [tried, ...serving] : serving;
      const [first] = usable;
      if (!first) done(new EveryAddressFailing(`every address of ${name} fails`), []);
      else if (options.all) done(null, usable);
      else done(null, first.address, first.family);
    });
  };

  const failed = (connection: UpstreamSocket, address: string): void => {
    connection.breaker = undefined;
    breakerOf(address).failed(Date.now());
  };

  return {
    lookup,
    leaving: instances.leaving,
    track(connection) {
      // For a host name, the lookup enters the breakers.
      if (isAddress) breakerOf(host).enter(Date.now());
      connection.on('connectionAttempt', (address: string) => {
        connection.breaker = breakerOf(address);
      });
      connection.on('connectionAttemptFailed', (address: string) => failed(connection, address));
      connection.on('connectionAttemptTimeout', (address: string) => failed(connection, address));
      connection.on('connect', () => {
        connection.breaker ??= breakerOf(connection.remoteAddress ?? host);
      });
    },
    refuses(now) {
      if (known.length === 0) return false;
      for (const breaker of known) if (breaker.mayEnter(now)) return false;
      if (isAddress || now - resolvedAt < RESOLVE_AGAIN_MS) return true;
      resolvedAt = now;
      return false;
    },
    retryAfterSeconds: (now) => Math.min(...known.map((breaker) => breaker.retryAfterSeconds(now)), 60),
    get state() {
      return known.length > 0 && known.every(({ state }) => state !== 'closed') ? 'open' : 'closed';
    },
    get open() {
      return known.filter(({ state }) => state !== 'closed').length;
    },
  };
};
