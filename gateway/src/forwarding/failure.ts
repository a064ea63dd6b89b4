import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { type Attempt, ConnectTimeout } from '@boxoffice/runtime';
import type { Exchange, ProxiedExchange } from '../exchange/exchange.ts';
import { createBadGatewayFault, createUnavailableFault } from '../exchange/faults.ts';
import type { Indexed } from './in-flight.ts';

export interface UpstreamFailure {
  /** The system's code or our own, for logs and metrics. */
  readonly code: string;
  readonly fault: Fault;
  readonly reason?: string;
}

/** A class of its own, so that it is not mistaken for a connection reset. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
  readonly code = 'upstream_timeout';
}

export class BrokenReply extends Error {
  override readonly name = 'BrokenReply';
  readonly code = 'broken_reply';
}

/** The reply belongs to no interface; the message says why. */
export class ForeignReply extends Error {
  override readonly name = 'ForeignReply';
  readonly code = 'foreign_reply';
}

/** These occur before a connection exists: nothing has reached the service. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

export function isUnreached(error: Error): boolean {
  return error instanceof ConnectTimeout || (error as NodeJS.ErrnoException).syscall === 'connect';
}

/** `retryAfter` is the service's own header. */
export function toUpstreamFailure(
  error: Error,
  upstream: ClientRequest | undefined,
  retryAfter?: string,
): UpstreamFailure {
  const code = getCode(error);
  const unconnected = upstream === undefined || upstream.socket?.connecting === true;
  if (UNREACHABLE.has(code) || (error instanceof UpstreamTimeout && unconnected)) {
    return { code, fault: createUnavailableFault('The service cannot be reached; try again later.') };
  }
  if (error instanceof ForeignReply) {
    const fault = createBadGatewayFault('The service sent a response that is not part of this interface.', retryAfter);
    return { code, fault, reason: error.message };
  }
  if (error instanceof UpstreamTimeout) {
    return { code, fault: createBadGatewayFault('The service did not answer in time.') };
  }
  return { code, fault: createBadGatewayFault('The service closed the connection before its response was complete.') };
}

const getCode = (error: Error): string => String((error as { readonly code?: unknown }).code ?? error.name);

const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

export interface Proxied extends ProxiedExchange, Indexed {
  readonly exchange: Exchange;
  /** Undefined without a body. */
  readonly body: readonly Buffer[] | undefined;
  /** Epoch milliseconds, of the whole exchange. */
  readonly deadline: number;
  /** Epoch milliseconds, of the current phase. */
  dueAt: number;
  attempt: Attempt | undefined;
  unreached: Set<string> | undefined;
  isRepeated: boolean;
  upstream: ClientRequest | undefined;
  reply: IncomingMessage | undefined;
  /** From then on no error of the service counts. */
  isSettled: boolean;
  /** True once the response is sent, or the client has disconnected. */
  isOver: boolean;
  /** Ends its count against the bound of its caller. */
  readonly release: () => void;
}

export function isClientGone({ exchange: { request, response } }: Proxied): boolean {
  return response.destroyed || (request.destroyed && !request.complete);
}

/** Holds without a key. */
export function isRepeatable({ exchange: { request }, body }: Proxied): boolean {
  return body === undefined && IDEMPOTENT.has(request.method ?? '');
}

/** The request had no effect, or the service recognises a repeat by its key. */
export function mayRepeat(error: Error, proxied: Proxied): boolean {
  if (proxied.isRepeated || proxied.reply !== undefined || !isReset(error)) return false;
  return isRepeatable(proxied) ? isStale(error, proxied.upstream) : hasKey(proxied.exchange);
}

const isReset = (error: Error): boolean => ['ECONNRESET', 'EPIPE'].includes(getCode(error));

/** The service had closed a reused connection before it read the request, which has had no effect (RFC 9112, 9.3.1). */
const isStale = (error: Error, upstream: ClientRequest | undefined): boolean =>
  upstream?.reusedSocket === true && isReset(error);

/** A service recognises a repeat by the key. */
const hasKey = ({ request, route, claims }: Exchange): boolean =>
  route?.takesKey === true && claims !== undefined && request.headers['idempotency-key'] !== undefined;
