import { Agent, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import { createConnection, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Addresses, createAddresses, type UpstreamSocket } from './addresses.ts';
import type { Breaker } from './breaker.ts';

/** A connection of the pool. */
interface Pooled extends UpstreamSocket {
  /** Epoch milliseconds: when it was last given back. */
  idleSince: number;
  /** Epoch milliseconds: then it is used no more. */
  readonly until: number;
}

/** Kept without work at most; a burst's other connections are closed after it. */
const MOST_IDLE = 256;

/** Shorter than our own services keep theirs, so that the pool is the one to close (they say how long in `Keep-Alive`). */
const IDLE_MS = 60_000;

/**
 * A connection that is given back after so long is closed, some after half of it already: it leads to one instance of the service, the
 * next one to whichever the name is answered with then. So a new instance has its share of the work soon.
 */
const RENEWED_AFTER_MS = 20_000;

/**
 * Less than our services serve kept connections after they have begun to stop (FAREWELL_MS), so that a connection that was given back within
 * it is still served, or is known to be closed. A request that cannot be sent twice is sent on no other.
 */
const FRESH_MS = 600;

/** Requests without a body that the forwarder sends a second time, if the service had closed their connection before. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE']);

const SWEEP_MS = 1_000;

/** Closed so much before the service would do so. */
const MARGIN_MS = 1_000;

/**
 * Kept connections to one address. Node's own agent does this for any number of addresses and finds out for each request which
 * one it is for; that costs a tenth of a forwarded request, which this does without (measured).
 */
export class Pool extends Agent {
  /** For a request that is to have a new connection, which serves no other. */
  readonly fresh: Agent;
  readonly #addresses: Addresses;
  readonly #open: () => Socket;
  readonly #idle: Pooled[] = [];
  readonly #all = new Set<Pooled>();
  readonly #sweep: NodeJS.Timeout;
  readonly #renewedAfterMs: number;
  #idleMs = IDLE_MS;
  #hint: string | string[] | undefined;

  constructor({
    protocol,
    hostname,
    port,
    renewedAfterMs = RENEWED_AFTER_MS,
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
    // What Node's client holds the address of a request against.
    Object.assign(this, { protocol });
    this.fresh = Object.assign(new Agent({ keepAlive: true }), {
      protocol,
      addRequest: (request: ClientRequest) => request.onSocket(this.#connect(0)),
    });
    this.#sweep = setInterval(() => this.#closeIdle(Date.now()), SWEEP_MS);
    this.#sweep.unref();
  }

  /** Node's client asks for a connection here: the one given back last, which is the least likely to be stale. */
  addRequest(request: ClientRequest): void {
    const idle = this.#take(REPEATABLE.has(request.method));
    if (idle) request.reusedSocket = true;
    request.onSocket(idle ?? this.#connect());
  }

  /**
   * Takes notice of what a service says of its connections: after how many seconds it closes idle ones (`Keep-Alive`), or that it closes
   * this one. Then it is most likely about to stop and to close the others as well, so no request is sent on them any more, and new
   * connections lead to other addresses of its name than this one.
   */
  onResponse({ connection, 'keep-alive': keepAlive }: IncomingHttpHeaders, address?: string): void {
    if (connection?.toLowerCase() === 'close') {
      this.#addresses.leaving(address);
      for (const idle of this.#idle.splice(0)) idle.destroy();
      return;
    }
    if (keepAlive === this.#hint) return;
    this.#hint = keepAlive;
    const seconds = /\btimeout=(\d+)/.exec(String(keepAlive ?? ''))?.[1];
    this.#idleMs = seconds === undefined ? IDLE_MS : Math.min(IDLE_MS, Math.max(0, Number(seconds) * 1000 - MARGIN_MS));
  }

  /** The breaker of the address that a request goes to; undefined until that is known, and when the address has failed already. */
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
    for (let idle = this.#idle.pop(); idle; idle = this.#idle.pop()) {
      // Whatever a service says without being asked, or after it has said goodbye, is no answer to the next request; and an address
      // that fails is tried on new connections only.
      const isSilent = idle.writable && !idle.readableEnded && idle.readableLength === 0;
      if (isSilent && idle.breaker?.state === 'closed') return idle;
      idle.destroy();
    }
    return undefined;
  }

  #connect(until = Date.now() + this.#renewedAfterMs * (0.5 + Math.random() / 2)): Pooled {
    const connection = Object.assign(this.#open(), { idleSince: 0, until, breaker: undefined });
    this.#addresses.track(connection);
    this.#all.add(connection);
    connection.on('free', () => {
      const now = Date.now();
      if (!connection.writable || this.#idle.length >= MOST_IDLE || this.#idleMs === 0 || now >= until) {
        connection.destroy();
      } else {
        connection.idleSince = now;
        this.#idle.push(connection);
      }
    });
    // While a request has it, the request hears of its errors, too; while none has, there is nobody to tell.
    connection.on('error', () => undefined);
    connection.on('close', () => {
      this.#all.delete(connection);
      const at = this.#idle.indexOf(connection);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return connection;
  }

  #closeIdle(now: number): void {
    // The longest idle ones come first.
    const fresh = this.#idle.findIndex(({ idleSince }) => now - idleSince < this.#idleMs);
    for (const connection of this.#idle.splice(0, fresh < 0 ? this.#idle.length : fresh)) connection.destroy();
  }
}
