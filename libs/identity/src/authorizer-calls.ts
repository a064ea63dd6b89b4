import type { IncomingHttpHeaders } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import { type Addresses, createHttpClient, type HttpCall } from '@boxoffice/runtime';

/** What the authorizer answered to a call of one of its internal operations. */
export interface AuthorizerAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly details: string | null;
  readonly data: unknown;
}

/**
 * Calls an internal operation of the authorizer: POST with a body, else GET. Resolves with any status below 500; rejects
 * with Fault `service_unavailable` if the authorizer does not answer, or fails itself.
 */
export type CallAuthorizer = (call: Omit<HttpCall, 'method'>) => Promise<AuthorizerAnswer>;

/** A process towards the authorizer. */
export interface AuthorizerCaller {
  readonly authorizerUrl: string;
  /** The name of the process. */
  readonly service: string;
  /** Its SERVICE_SECRET. */
  readonly secret: string;
  /** The authorizer's addresses, for a caller that reads their breakers. */
  readonly addresses?: Addresses;
}

/** The Authorization header of a process towards the authorizer's internal operations. */
export const serviceAuthorization = (service: string, secret: string): string =>
  `Basic ${Buffer.from(`${service}:${secret}`).toString('base64')}`;

/** Makes the calls of one process. */
export const createAuthorizerCalls = (caller: AuthorizerCaller): CallAuthorizer => {
  const { authorizerUrl, service, secret, addresses } = caller;
  const send = createHttpClient(authorizerUrl, addresses);
  const authorization = serviceAuthorization(service, secret);
  const unavailable = (): Fault =>
    new Fault('service_unavailable', 'The authorizer does not answer at the moment.', { 'Retry-After': '1' });

  return async (call) => {
    const method = call.body ? 'POST' : 'GET';
    try {
      const { status, headers, text } = await send({ ...call, method, headers: { ...call.headers, authorization } });
      if (status >= 500) throw unavailable();
      const { details, data } = JSON.parse(text) as { readonly details: string | null; readonly data: unknown };
      return { status, headers, details, data };
    } catch {
      throw unavailable();
    }
  };
};
