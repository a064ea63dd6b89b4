import type { ClientRequest } from 'node:http';
import type { Fault } from '@boxoffice/envelope';
import { badGateway, unavailable } from '../exchange/faults.ts';

/** Why a service gave no usable answer. */
export interface UpstreamFailure {
  /** The system's error code or our own, for logs and metrics. */
  readonly code: string;
  readonly fault: Fault;
}

/** The service exceeded its time. A class of its own, so that it is not mistaken for a connection reset. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
  readonly code = 'upstream_timeout';
}

/** The service ended its response early. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply';
  readonly code = 'broken_reply';
}

/** Codes of errors before a connection existed: nothing has reached the service. */
const UNREACHABLE: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'breaker_open',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

const codeOf = (error: Error): string => String((error as { readonly code?: unknown }).code ?? error.name);

/** Maps an error of an upstream request to the client's answer. */
export const failureOf = (error: Error, upstream: ClientRequest | undefined): UpstreamFailure => {
  const code = codeOf(error);
  const unconnected = upstream === undefined || upstream.socket?.connecting === true;
  if (UNREACHABLE.has(code) || (error instanceof UpstreamTimeout && unconnected)) {
    return { code, fault: unavailable('The service cannot be reached; try again later.') };
  }
  if (error instanceof UpstreamTimeout) {
    return { code, fault: badGateway('The service did not answer in time.') };
  }
  return { code, fault: badGateway('The service closed the connection before its response was complete.') };
};
