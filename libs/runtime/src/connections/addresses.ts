// Connections between the processes of an installation: the addresses behind a name, and requests to them.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Breaker, createBreaker } from './breaker.ts';

/** Finds every address of a name. */
export type Resolve = (name: string) => Promise<readonly string[]>;

interface AddressesOptions {
  /** The base URL of a service. */
  readonly url: string;
  /** Default: the system's resolver. */
  readonly resolve?: Resolve | undefined;
  /** Called when the breaker of an address opens or closes. */
  readonly onChange?: (address: string, state: 'open' | 'closed') => void;
  /** Epoch milliseconds. */
  readonly now?: () => number;
}

/** Where an instance of a service is reached. */
export interface Endpoint {
  /** `http:` or `https:`. */
  readonly protocol: string;
  /** An IP address. */
  readonly hostname: string;
  /** Empty for the protocol's own. */
  readonly port: string;
  /** The base URL: `http://10.0.0.1:8083`. */
  readonly origin: string;
}

/** One request to one address. */
export interface Attempt {
  /** An IP address. */
  readonly address: string;
  readonly endpoint: Endpoint;
  /** Reports the outcome to the address's breaker, once; further calls have no effect. */
  settle(outcome: 'succeeded' | 'failed' | 'abandoned'): void;
  /** The answer announced the end of its connection: its process is stopping, so others are preferred for a while. */
  leaves(): void;
  /** The request is over, once; without an outcome it was abandoned. */
  end(): void;
}

/**
 * The addresses of one service, which are its instances, with a breaker each: a failing instance does not affect the
 * others. The service as a whole is refused only while every breaker is open.
 */
export interface Addresses {
  /** The host and port for the `Host` header. */
  readonly host: string;
  /**
   * Chooses an address: one that is due for a probe, else the one with the fewest requests; new instances get few at
   * first, stopping ones none. Undefined when all serving ones have been tried. Rejects when the name does not resolve.
   */
  choose(tried?: ReadonlySet<string>): Attempt | undefined | Promise<Attempt | undefined>;
  /** Whether no known address accepts a request now. */
  refuses(): boolean;
  /** Whole seconds until a retry makes sense, at least 1. */
  retryAfterSeconds(): number;
  /** `open` while the breakers of all addresses are open. */
  readonly state: 'closed' | 'open';
  /** Number of addresses whose breaker is not closed. */
  readonly open: number;
}

/** What is known of the instance at an address. */
interface Instance {
  readonly address: string;
  readonly endpoint: Endpoint;
  readonly breaker: Breaker;
  /** Answers since it last failed. */
  answers: number;
  /** Requests that are not over. */
  busy: number;
  /** Epoch milliseconds. */
  leavingUntil: number;
}

/** Age from which the addresses are resolved again, while the last ones are used. Milliseconds. */
const RESOLVED_MS = 1_000;

/** Age from which requests wait for the resolution: another process may have the address by now. Milliseconds. */
const STALE_MS = 30_000;

/** Longer than a process may take to stop. */
const LEAVING_MS = 15_000;

/**
 * Answers after which an instance is warm. One that has just started runs code that is not optimised yet and opens its
 * own connections: many first requests at once would each wait for all of that.
 */
const WARM_AFTER = 8;

/** Makes the addresses of one service. */
export function createAddresses(options: AddressesOptions): Addresses {
  const { url, resolve = resolveName, onChange, now = Date.now } = options;
  const { protocol, host, hostname, port } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  let known: readonly Instance[] = [];
  let resolvedAt = Number.NEGATIVE_INFINITY;
  let resolving: Promise<void> | undefined;

  const instanceAt = (address: string): Instance => {
    let reported: 'open' | 'closed' = 'closed';
    const breaker = createBreaker({
      onChange(state) {
        if (state === 'half-open' || state === reported) return;
        reported = state;
        onChange?.(address, state);
      },
    });
    const origin = `${protocol}//${address.includes(':') ? `[${address}]` : address}${port && `:${port}`}`;
    const endpoint = { protocol, hostname: address, port, origin };
    return { address, endpoint, breaker, answers: 0, busy: 0, leavingUntil: 0 };
  };

  const isFixed = isIP(name) !== 0;
  if (isFixed) known = [instanceAt(name)];

  const resolveAgain = async (): Promise<void> => {
    try {
      const found = await resolve(name);
      known = found.map((address) => known.find((one) => one.address === address) ?? instanceAt(address));
    } catch (error) {
      if (known.length === 0) throw error;
    } finally {
      // A resolver that fails is not asked for each request either: the last addresses are used.
      resolvedAt = now();
      resolving = undefined;
    }
  };

  /** Resolves the name in time; returns a promise if the caller must wait for it. */
  const refresh = (): Promise<void> | undefined => {
    const age = now() - resolvedAt;
    if (isFixed || (known.length > 0 && age < RESOLVED_MS)) return undefined;
    resolving ??= resolveAgain();
    if (known.length === 0 || age >= STALE_MS) return resolving;
    // It fails only without any known address.
    resolving.catch(() => undefined);
    return undefined;
  };

  const leastBusy = (tried: ReadonlySet<string> | undefined): Instance | undefined => {
    const at = now();
    let best: Instance | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const instance of known) {
      const { address, breaker, busy, answers, leavingUntil } = instance;
      if (tried?.has(address)) continue;
      if (breaker.state !== 'closed' && breaker.enter(at)) return instance;
      // After another address, a failing one is not tried as well.
      if (breaker.state !== 'closed' && tried) continue;
      const isBehind = breaker.state !== 'closed' || leavingUntil > at;
      const isStarting = answers < WARM_AFTER && busy > answers;
      const weight = busy + Math.random() + (isStarting ? 1e4 : 0) + (isBehind ? 1e8 : 0);
      if (weight >= least) continue;
      least = weight;
      best = instance;
    }
    return best;
  };

  const begin = (instance: Instance | undefined): Attempt | undefined => {
    if (!instance) return undefined;
    const { address, endpoint, breaker } = instance;
    let isSettled = false;
    let isOver = false;
    instance.busy += 1;
    const settle: Attempt['settle'] = (outcome) => {
      if (isSettled) return;
      isSettled = true;
      if (outcome !== 'abandoned') instance.answers = outcome === 'succeeded' ? instance.answers + 1 : 0;
      breaker[outcome](now());
    };
    return {
      address,
      endpoint,
      settle,
      leaves() {
        instance.leavingUntil = now() + LEAVING_MS;
      },
      end() {
        if (isOver) return;
        isOver = true;
        instance.busy -= 1;
        settle('abandoned');
      },
    };
  };

  return {
    host,
    choose(tried) {
      const waiting = refresh();
      return waiting ? waiting.then(() => begin(leastBusy(tried))) : begin(leastBusy(tried));
    },
    refuses() {
      const at = now();
      if (known.length === 0 || known.some(({ breaker }) => breaker.mayEnter(at))) return false;
      // New instances may exist.
      void refresh()?.catch(() => undefined);
      return true;
    },
    retryAfterSeconds: () => Math.min(...known.map(({ breaker }) => breaker.retryAfterSeconds(now())), 60),
    get state() {
      return known.length > 0 && known.every(({ breaker }) => breaker.state !== 'closed') ? 'open' : 'closed';
    },
    get open() {
      return known.filter(({ breaker }) => breaker.state !== 'closed').length;
    },
  };
}

const resolveName: Resolve = async (name) =>
  (await lookup(name, { all: true, order: 'verbatim' })).map(({ address }) => address);

/**
 * The network that limits count an address by: an IPv6 address by its /64 network, since one host usually has all of
 * it; an IPv4 address, also one mapped into IPv6 (RFC 4291, 2.5.5.2), by itself in dotted form. Anything else stays as
 * it is.
 */
export function toNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const [groups = ''] = parsed.toNormalizedString().split('%', 1);
  return `${groups.split(':').slice(0, 4).join(':')}::/64`;
}
