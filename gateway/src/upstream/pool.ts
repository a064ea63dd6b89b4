import { Agent, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { CONNECTION_AGE_MS, expiryOf, isLastAnswer } from '@boxoffice/runtime';
import { type Addresses, createAddresses, type UpstreamSocket } from './addresses.ts';
import type { Breaker } from './breaker.ts';

/** A pooled connection. */
interface Pooled extends UpstreamSocket {
  /** When the connection was last released. Epoch milliseconds. */
  idleSince: number;
  /** When the connection expires. Epoch milliseconds. */
  readonly until: number;
}

/** Maximum number of idle connections; the surplus of a burst is closed. */
const MOST_IDLE = 256;

/**
 * Below the keep-alive timeout of our services, so that the pool closes first. A service's `Keep-Alive` can shorten it.
 */
const IDLE_MS = 60_000;

/**
 * Below the time that a stopping service still serves idle connections (SERVICE_DRAIN_MS): a connection released
 * within it is served, or known to be closed, even if the end of its last answer was read late. A request that cannot be repeated uses no older one.
 */
const FRESH_MS = 600;

/** Methods without a body, which the forwarder repeats if the service had closed the connection. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

const SWEEP_MS = 1_000;

/** Margin before the service's own keep-alive timeout. */
const MARGIN_MS = 1_000;

/**
 * Pooled connections to one address. Node's own agent serves any number of addresses and computes a key for each
 * request, which costs a tenth of a forwarded request (measured).
 */
export class Pool extends Agent {
  /** Gives every request a new connection. */
  readonly fresh: Agent;
  readonly #addresses: Addresses;
  readonly #open: () => Socket;
  readonly #idle: Pooled[] = [];
  readonly #all = new Set<Pooled>();
  #sweep: NodeJS.Timeout | undefined;
  readonly #renewedAfterMs: number;
  #idleMs = IDLE_MS;
  #hint: string | string[] | undefined;

  constructor({
    protocol,
    hostname,
    port,
    renewedAfterMs = CONNECTION_AGE_MS,
    addresses = createAddresses({ host: hostname }),
  }: {
    readonly protocol: string;
    readonly hostname: string;
    readonly port: number;
    readonly renewedAfterMs?: number;
    readonly addresses?: Addresses;
  }) {
    super({ keepAlive: true });
    this.#renewedAfterMs = renewedAfterMs;
    this.#addresses = addresses;
    const { lookup } = addresses;
    const to = { host: hostname, port, lookup, noDelay: true, keepAlive: true };
    const servername = isIP(hostname) ? undefined : hostname;
    this.#open = () => (protocol === 'https:' ? connectTls({ ...to, servername }) : createConnection(to));
    // Node's client compares this with the protocol of the request.
    Object.assign(this, { protocol });
    this.fresh = Object.assign(new Agent({ keepAlive: true }), {
      protocol,
      addRequest: (request: ClientRequest) => request.onSocket(this.#connect(0)),
    });
  }

  /**
   * Called by Node's client. Of the two connections released last, which are the least likely to be stale, uses the
   * one whose instance has fewer requests.
   */
  addRequest(request: ClientRequest): void {
    const idle = this.#take(REPEATABLE.has(request.method));
    if (idle) {
      request.reusedSocket = true;
      idle.emit('taken');
    }
    request.onSocket(idle ?? this.#connect());
  }

  /**
   * Evaluates a response's connection headers: the keep-alive timeout, or `Connection: close`. The latter means that
   * the service is probably stopping and will close the others too, so idle connections are closed and new ones prefer
   * other addresses.
   */
  onResponse(headers: IncomingHttpHeaders, address?: string): void {
    if (isLastAnswer(headers)) {
      this.#addresses.leaving(address);
      for (const idle of this.#idle.splice(0)) idle.destroy();
      return;
    }
    const keepAlive = headers['keep-alive'];
    if (keepAlive === this.#hint) return;
    this.#hint = keepAlive;
    const seconds = /\btimeout=(\d+)/.exec(String(keepAlive ?? ''))?.[1];
    this.#idleMs = seconds === undefined ? IDLE_MS : Math.min(IDLE_MS, Math.max(0, Number(seconds) * 1000 - MARGIN_MS));
  }

  /**
   * The breaker of the address that a request goes to; undefined before it is connected, and after the address has
   * failed.
   */
  breakerOf(request: ClientRequest | undefined): Breaker | undefined {
    return (request?.socket as Pooled | null | undefined)?.breaker;
  }

  override destroy(): void {
    clearInterval(this.#sweep);
    for (const connection of this.#all) connection.destroy();
  }

  #take(repeatable: boolean): Pooled | undefined {
    const latest = this.#idle.at(-1);
    if (!repeatable && latest !== undefined && Date.now() - latest.idleSince > FRESH_MS) return undefined;
    this.#preferLessBusy(repeatable);
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      // Unsolicited data, or data after the end, must not become the next response; and a failing address is probed on
      // new connections only.
      const isSilent = idle.writable && !idle.readableEnded && idle.readableLength === 0;
      if (isSilent && idle.breaker?.state === 'closed') return idle;
      idle.destroy();
    }
    return undefined;
  }

  /** Swaps the last two idle connections if the instance of the last has more requests. */
  #preferLessBusy(repeatable: boolean): void {
    const last = this.#idle.at(-1);
    const other = this.#idle.at(-2);
    if (!last?.load || !other?.load || last.load === other.load || last.load.busy <= other.load.busy) return;
    if (!repeatable && Date.now() - other.idleSince > FRESH_MS) return;
    this.#idle.splice(-2, 2, last, other);
  }

  #connect(until = expiryOf(Date.now(), this.#renewedAfterMs)): Pooled {
    const connection = Object.assign(this.#open(), { idleSince: 0, until, breaker: undefined, load: undefined });
    this.#addresses.track(connection);
    this.#all.add(connection);
    connection.on('free', () => {
      const now = Date.now();
      if (!connection.writable || this.#idle.length >= MOST_IDLE || this.#idleMs === 0 || now >= until) {
        connection.destroy();
      } else {
        connection.idleSince = now;
        this.#idle.push(connection);
        this.#sweep ??= setInterval(() => this.#closeIdle(Date.now()), SWEEP_MS).unref();
      }
    });
    // A request on the connection receives its errors as well; an idle connection needs no handling.
    connection.on('error', () => undefined);
    connection.on('close', () => {
      this.#all.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return connection;
  }

  #closeIdle(now: number): void {
    // The longest idle connections come first.
    const fresh = this.#idle.findIndex(({ idleSince }) => now - idleSince < this.#idleMs);
    for (const connection of this.#idle.splice(0, fresh < 0 ? this.#idle.length : fresh)) connection.destroy();
    if (this.#idle.length > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}
