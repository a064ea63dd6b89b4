import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createInstances, type Instances } from '@boxoffice/runtime';
import { type Breaker, createBreaker } from './breaker.ts';

/**
 * The addresses of one service, each with a breaker of its own: an instance that fails keeps requests from no other one. Only when every
 * address is kept from, the service is.
 */
export interface Addresses extends Pick<Instances, 'leaving'> {
  /** What new connections find their address with: those that serve, and before them one that is to be tried again. */
  readonly lookup: LookupFunction;
  /** Notes that a connection begins, and sees to it that `breaker` is that of the address which it leads to. */
  track(connection: UpstreamSocket): void;
  /** Whether a request can go nowhere now, as far as is known without asking for the name's addresses. */
  refuses(now: number): boolean;
  /** Whole seconds after which it is worth trying again, at least 1. */
  retryAfterSeconds(now: number): number;
  /** `open` while every address is kept from. */
  readonly state: 'closed' | 'open';
  /** How many addresses are kept from. */
  readonly open: number;
}

/** A connection, and the breaker of the address that it leads to, once that is known. */
export interface UpstreamSocket extends Socket {
  breaker: Breaker | undefined;
}

export interface AddressesOptions {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly instances?: Instances;
  /** Hears when requests are kept from an address, and when it answers again. */
  readonly onChange?: (address: string, state: 'open' | 'closed') => void;
}

/** Every address is kept from: nothing was sent. */
export class EveryAddressFailing extends Error {
  override readonly name = 'EveryAddressFails';
  readonly code = 'breaker_open';
}

/** While every address is kept from, the name's addresses are asked for this often: new instances may be there. Milliseconds. */
const RESOLVE_AGAIN_MS = 1_000;

/** Addresses whose state is remembered; the oldest are forgotten. */
const REMEMBERED = 1_000;

/** Makes the addresses of one service. */
export const createAddresses = ({ host, instances = createInstances(), onChange }: AddressesOptions): Addresses => {
  const breakers = new Map<string, Breaker>();
  /** Of the addresses that the name had last. */
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
      // A name's addresses enter when they are looked up.
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
