import { Fault } from '@boxoffice/envelope';
import { DECISIONS_PATH, REVOCATIONS_PATH, refusedSecret, serviceAuthorization } from '@boxoffice/identity';
import { recording, type Trace } from '@boxoffice/runtime';
import { unavailable } from '../exchange/faults.ts';
import type { AddressFactory } from '../upstream/address-factory.ts';
import type { Addresses } from '../upstream/addresses.ts';
import { UpstreamTimeout } from '../upstream/failure.ts';
import { createInternalCalls, type InternalAnswer } from '../upstream/internal-calls.ts';

/** What the authorizer is asked: may the bearer of the token do that there? */
export interface DecisionRequest {
  readonly token: string;
  readonly operation: string;
  readonly scope: string;
  readonly audience: string;
}

/** Its yes: a signed identity for the service. */
export interface Decision {
  readonly identity: string;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

/** What counts no more. */
export interface Changes {
  readonly tokens: readonly { readonly jti: string; readonly expiresAt: string }[];
  readonly clients: readonly { readonly clientId: string; readonly changedAt: string }[];
  /** What to ask for next time. */
  readonly asOf: string;
}

/** The authorizer does not believe this gateway. */
export class SecretRefused extends Error {
  override readonly name = 'SecretRefused';
}

/** The authorizer's internal operations, as the gateway calls them. */
export interface AuthorizerClient {
  /** Where the authorizer is asked; undefined without one. */
  readonly addresses: Addresses | undefined;
  /** Rejects with Fault unauthorized or forbidden, as the authorizer says, or service_unavailable if it says nothing. */
  decide(request: DecisionRequest, trace: Trace): Promise<Decision>;
  /** Rejects with SecretRefused if SERVICE_SECRET is not the gateway's, and with any error otherwise. */
  changes(since: string | undefined): Promise<Changes>;
  /** Closes the kept connections. */
  close(): void;
}

export interface AuthorizerClientOptions {
  /** Undefined: there is none, and whatever needs its word is refused with 503. */
  readonly url: string | undefined;
  readonly secret: string;
  readonly addressesOf: AddressFactory;
  readonly timeoutMs?: number;
}

const authorizerUnavailable = (): Fault => unavailable('The authorizer does not answer at the moment.');

interface Envelope {
  readonly details: string | null;
  readonly data: unknown;
}

/** A refusal of the authorizer as a fault of ours, which is then answered in its words. */
const relayed = (
  code: 'unauthorized' | 'forbidden',
  { details }: Envelope,
  headers: InternalAnswer['headers'],
): Fault => {
  const challenge = headers['www-authenticate'];
  return new Fault(code, details ?? 'The authorizer refuses.', challenge ? { 'WWW-Authenticate': challenge } : {});
};

const parsed = (text: string): Envelope | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
};

const REFUSALS = { 401: 'unauthorized', 403: 'forbidden' } as const;

const isDecision = (data: unknown): data is { readonly identity: string; readonly expiresAt: string } => {
  const { identity, expiresAt } = (data ?? {}) as { readonly identity?: unknown; readonly expiresAt?: unknown };
  return typeof identity === 'string' && typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt));
};

/** Makes the caller of the authorizer. */
export const createAuthorizerClient = ({
  url,
  secret,
  addressesOf,
  timeoutMs = 3_000,
}: AuthorizerClientOptions): AuthorizerClient => {
  const authorization = serviceAuthorization('gateway', secret);
  const addresses = url === undefined ? undefined : addressesOf('authorizer', url);
  const calls = url === undefined || !addresses ? undefined : createInternalCalls({ url, addresses, timeoutMs });

  const post = async (body: string, trace: Trace): Promise<InternalAnswer> => {
    if (!calls) throw authorizerUnavailable();
    const headers = {
      authorization,
      'content-type': 'application/json',
      'x-request-id': trace.requestId,
      traceparent: trace.traceparent,
    };
    return calls.call({ method: 'POST', path: DECISIONS_PATH, headers, body });
  };

  /** A question changes nothing, so one whose connection broke is asked again. */
  const postTwice = (body: string, trace: Trace): Promise<InternalAnswer> =>
    post(body, trace).catch((error: Error) => {
      if (error instanceof UpstreamTimeout) throw error;
      return post(body, trace);
    });

  return {
    addresses,
    async decide(request, trace) {
      if (!addresses || addresses.refuses(Date.now())) throw authorizerUnavailable();
      const span = recording()?.({
        service: 'gateway',
        kind: 'client',
        name: 'decide',
        parent: trace.traceparent,
        attributes: { 'http.request.method': 'POST', 'server.address': 'authorizer' },
      });
      const within = span ? { requestId: trace.requestId, traceparent: span.traceparent } : trace;
      const asked = await postTwice(JSON.stringify(request), within).catch(() => undefined);
      if (asked) span?.set({ 'http.response.status_code': asked.status });
      span?.end(asked && asked.status < 500 ? undefined : String(asked?.status ?? 'unavailable'));
      const answer = asked && asked.status < 500 ? parsed(asked.text) : undefined;
      if (!asked || !answer) throw authorizerUnavailable();
      const { status, headers } = asked;
      // Without a challenge it is not the client's token that is refused but this gateway's secret, which polling reports.
      if (status === 401 && headers['www-authenticate'] === undefined) throw authorizerUnavailable();
      if (status === 401 || status === 403) throw relayed(REFUSALS[status], answer, headers);
      if (status !== 200 || !isDecision(answer.data)) throw authorizerUnavailable();
      return { identity: answer.data.identity, expiresAt: Date.parse(answer.data.expiresAt) };
    },
    async changes(since) {
      if (!calls) throw authorizerUnavailable();
      const path = since === undefined ? REVOCATIONS_PATH : `${REVOCATIONS_PATH}?since=${encodeURIComponent(since)}`;
      const { status, text } = await calls.call({ method: 'GET', path, headers: { authorization } });
      if (status === 401) throw new SecretRefused(await refusedSecret(new Response(text)));
      if (status !== 200) throw new Error(`the authorizer answered ${status}`);
      return (JSON.parse(text) as { readonly data: Changes }).data;
    },
    close: () => calls?.close(),
  };
};
