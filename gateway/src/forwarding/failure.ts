import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import type { Attempt } from '@boxoffice/runtime';
import type { Exchange, ProxiedExchange } from '../exchange/exchange.ts';
import { createBadGatewayFault, createUnavailableFault } from '../exchange/faults.ts';
import type { Indexed } from './in-flight.ts';

/** Why a service gave no usable answer. */
export interface UpstreamFailure {
  /** The system's error code or our own, for logs and metrics. */
  readonly code: string;
  readonly fault: Fault;
  /** Why an answer was not passed on. */
  readonly reason?: string;
}

/** The service exceeded its time. A class of its own, so that it is not mistaken for a connection reset. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
  readonly code = 'upstream_timeout';
}

/** No connection to an address was established in time: nothing was sent. */
export class ConnectTimeout extends Error {
  override readonly name = 'ConnectTimeout';
  readonly code = 'ETIMEDOUT';
}

/** The service ended its response early. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply';
  readonly code = 'broken_reply';
}

/** The service sent what belongs to no interface; the message says what. */
export class ForeignReply extends Error {
  override readonly name = 'ForeignReply';
  readonly code = 'foreign_reply';
}

/** Codes of errors before a connection existed: nothing has reached the service. */
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

/** Whether the address accepted no connection, so that nothing was sent. */
export function isUnreached(error: Error): boolean {
  return error instanceof ConnectTimeout || (error as NodeJS.ErrnoException).syscall === 'connect';
}

/** Maps an error of an upstream request to the client's answer; `retryAfter` is the service's own header. */
export function toUpstreamFailure(
  error: Error,
  upstream: ClientRequest | undefined,
  retryAfter?: string,
): UpstreamFailure {
  const code = codeOf(error);
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

const codeOf = (error: Error): string => String((error as { readonly code?: unknown }).code ?? error.name);

/** Methods whose requests may be sent a second time. */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

/** One request on its way to a service. */
export interface Proxied extends ProxiedExchange, Indexed {
  readonly exchange: Exchange;
  /** The whole body; undefined without one. */
  readonly body: readonly Buffer[] | undefined;
  /** Deadline of the whole exchange. Epoch milliseconds. */
  readonly deadline: number;
  /** Deadline of the current phase. Epoch milliseconds. */
  dueAt: number;
  /** The address that it is sent to. */
  attempt: Attempt | undefined;
  /** The addresses that accepted no connection. */
  unreached: Set<string> | undefined;
  isRepeated: boolean;
  upstream: ClientRequest | undefined;
  reply: IncomingMessage | undefined;
  /** Whether it has an outcome: no error of the service counts any more. */
  isSettled: boolean;
  /** Whether the response is sent, or the client has disconnected. */
  isOver: boolean;
  /** Ends its count against the bound of its caller. */
  readonly release: () => void;
}

export function isClientGone({ exchange: { request, response } }: Proxied): boolean {
  return response.destroyed || (request.destroyed && !request.complete);
}

/** Whether the method and the body allow a second request without a key. */
export function isRepeatable({ exchange: { request }, body }: Proxied): boolean {
  return body === undefined && IDEMPOTENT.has(request.method ?? '');
}

/**
 * Whether the request may be sent once more: it had no effect, since the service had closed its reused connection, or
 * the service recognises a second one by its key.
 */
export function mayRepeat(error: Error, proxied: Proxied): boolean {
  if (proxied.isRepeated || proxied.reply !== undefined || !isReset(error)) return false;
  return isRepeatable(proxied) ? isStale(error, proxied.upstream) : hasKey(proxied.exchange);
}

/** Whether a connection broke. */
const isReset = (error: Error): boolean => ['ECONNRESET', 'EPIPE'].includes(codeOf(error));

/**
 * Whether the service had closed a reused connection before it read the request: then it has had no effect, and may be
 * sent once more on a new connection (RFC 9112, 9.3.1).
 */
const isStale = (error: Error, upstream: ClientRequest | undefined): boolean =>
  upstream?.reusedSocket === true && isReset(error);

/** Whether the service recognises a repeat of the request by its Idempotency-Key. */
const hasKey = ({ request, route, claims }: Exchange): boolean =>
  route?.takesKey === true && claims !== undefined && request.headers['idempotency-key'] !== undefined;
