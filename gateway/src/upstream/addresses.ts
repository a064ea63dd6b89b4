// Connections to the services: the addresses of a name, a breaker for each, pooled connections.
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { createInstances, type Instances } from '@boxoffice/runtime';
import { type Breaker, createBreaker } from './breaker.ts';

/**
 * The addresses of one service with a breaker each: a failing instance does not affect the others. The service as a
 * whole is refused only while every breaker is open.
 */
export interface Addresses extends Pick<Instances, 'leaving'> {
  /**
   * Resolves new connections: the addresses with a closed breaker, those with the fewest requests first and new ones
   * slowly, preceded by one that is due for a probe.
   */
  readonly lookup: LookupFunction;
  /**
   * Registers a new connection and maintains `breaker` and `load` of the address that it connects to. A pool emits
   * `taken` on an idle connection that gets a request.
   */
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

/** A connection with what is known of its address, once that is known. */
export interface UpstreamSocket extends Socket {
  breaker: Breaker | undefined;
  /** The requests in progress at its address. */
  load: { busy: number } | undefined;
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

/** Maximum number of addresses that are remembered; the oldest are evicted. */
const REMEMBERED = 1_000;

/**
 * Answers after which an instance is warm. One that has just started runs code that is not optimised yet and opens its
 * own connections: many first requests at once would each wait for all of that.
 */
const WARM_AFTER = 8;

/** What is known of the instance at an address. */
interface Instance {
  readonly breaker: Breaker;
  /** Answers since it was reachable. */
  answers: number;
  /** Connections to it without a first answer. */
  waiting: number;
  /** Connections to it with a request that is not answered. */
  busy: number;
}

/** Makes the addresses of one service. */
export const createAddresses = ({ host, instances = createInstances(), onChange }: AddressesOptions): Addresses => {
  const remembered = new Map<string, Instance>();
  /** The breakers of the addresses of the last resolution. */
  let known: readonly Breaker[] = [];
  let resolvedAt = 0;

  const instanceAt = (address: string): Instance => {
    const found = remembered.get(address);
    if (found) return found;
    let reported: 'open' | 'closed' = 'closed';
    const breaker = createBreaker({
      onChange(state) {
        if (state === 'half-open' || state === reported) return;
        reported = state;
        onChange?.(address, state);
      },
    });
    const made: Instance = { breaker, answers: 0, waiting: 0, busy: 0 };
    const [oldest] = remembered.size < REMEMBERED ? [] : remembered.keys();
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(address, made);
    return made;
  };
  const breakerOf = (address: string): Breaker => instanceAt(address).breaker;

  /**
   * Slow start: beside warm instances, a new one gets one connection, and one more for each answer. Without any warm
   * instance all are used.
   */
  const startingSlowly = (serving: readonly LookupAddress[]): readonly LookupAddress[] => {
    const isWarm = ({ address }: LookupAddress) => instanceAt(address).answers >= WARM_AFTER;
    const warm = serving.filter(isWarm);
    if (warm.length === 0 || warm.length === serving.length) return serving;
    const next = serving.find(
      (one) => !isWarm(one) && instanceAt(one.address).waiting <= instanceAt(one.address).answers,
    );
    return next ? [next, ...warm] : warm;
  };

  const isAddress = isIP(host) !== 0;
  if (isAddress) known = [breakerOf(host)];

  const lookup: LookupFunction = (name, options, done) => {
    instances.lookup(name, { ...options, all: true }, (error, found) => {
      if (error || typeof found === 'string') return done(error, found);
      const now = Date.now();
      resolvedAt = now;
      known = found.map(({ address }) => breakerOf(address));
      const serving = found
        .filter(({ address }) => breakerOf(address).state === 'closed')
        // The one with the fewest requests first: a slow instance gets fewer.
        .sort((one, other) => instanceAt(one.address).busy - instanceAt(other.address).busy);
      const tried = found.find(({ address }) => breakerOf(address).state !== 'closed' && breakerOf(address).enter(now));
      const ready = startingSlowly(serving);
      const usable = tried ? [tried, ...ready] : [...ready];
      const [first] = usable;
      if (!first) done(new EveryAddressFailing(`every address of ${name} fails`), []);
      else if (options.all) done(null, usable);
      else done(null, first.address, first.family);
    });
  };

  const failed = (connection: UpstreamSocket, address: string): void => {
    connection.breaker = undefined;
    const instance = instanceAt(address);
    instance.answers = 0;
    instance.breaker.failed(Date.now());
  };

  /** Counts the connection as waiting for the first answer of its instance, and then its answers. */
  const watchAnswers = (connection: UpstreamSocket): void => {
    let instance: Instance | undefined;
    let waits = false;
    const waitNoMore = () => {
      if (instance && waits) instance.waiting -= 1;
      waits = false;
    };
    connection.on('connectionAttempt', (address: string) => {
      waitNoMore();
      instance = instanceAt(address);
      instance.waiting += 1;
      waits = true;
    });
    connection.on('free', () => {
      waitNoMore();
      if (instance) instance.answers += 1;
    });
    connection.on('close', waitNoMore);
  };

  /** Counts the connection as busy from its beginning to its answer; its pool counts later requests. */
  const watchLoad = (connection: UpstreamSocket): void => {
    let isBusy = false;
    const end = () => {
      if (isBusy && connection.load) connection.load.busy -= 1;
      isBusy = false;
    };
    connection.on('connectionAttempt', (address: string) => {
      end();
      connection.load = instanceAt(address);
      connection.load.busy += 1;
      isBusy = true;
    });
    connection.on('free', end);
    connection.on('taken', () => {
      if (connection.load) connection.load.busy += 1;
      isBusy = true;
    });
    connection.on('close', end);
  };

  return {
    lookup,
    leaving: instances.leaving,
    track(connection) {
      // For a host name, the lookup enters the breakers.
      if (isAddress) breakerOf(host).enter(Date.now());
      else {
        watchAnswers(connection);
        watchLoad(connection);
      }
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
