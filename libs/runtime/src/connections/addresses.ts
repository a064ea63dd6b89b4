import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type Breaker, createBreaker } from './breaker.ts';

export type Resolve = (name: string) => Promise<readonly string[]>;

interface AddressesOptions {
  readonly url: string;
  readonly resolve?: Resolve | undefined;
  readonly onChange?: (address: string, state: 'open' | 'closed') => void;
  readonly now?: () => number;
}

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

export interface Attempt {
  readonly address: string;
  readonly endpoint: Endpoint;
  /** Reports the outcome to the address's breaker, once; further calls have no effect. */
  settle(outcome: 'succeeded' | 'failed' | 'abandoned'): void;
  /** The answer announced the end of its connection: its process is stopping, so others are preferred for a while. */
  leaves(): void;
  /** The request is over, once; without an outcome it was abandoned. */
  end(): void;
}

/** A breaker per instance: a failing one does not affect the others. */
export interface Addresses {
  readonly host: string;
  /** One due for a probe, else the least busy; new ones get few, stopping ones none. Undefined when all were tried. */
  choose(tried?: ReadonlySet<string>): Attempt | undefined | Promise<Attempt | undefined>;
  refuses(): boolean;
  /** Whole seconds until a retry makes sense, at least 1. */
  retryAfterSeconds(): number;
  readonly state: 'closed' | 'open';
  readonly open: number;
}

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

/** A new instance runs code that is not optimised yet and opens its connections: many requests would wait for that. */
const WARM_AFTER = 8;

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

/** An IPv6 address by its /64 network, usually all of one host; an IPv4 one, also mapped (RFC 4291), in dotted form. */
export function toNetwork(address: string): string {
  if (!address.includes(':') || !ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const [groups = ''] = parsed.toNormalizedString().split('%', 1);
  return `${groups.split(':').slice(0, 4).join(':')}::/64`;
}
