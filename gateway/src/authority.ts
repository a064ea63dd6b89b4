import { Fault } from '@boxoffice/envelope';
import { DECISIONS_PATH, REVOCATIONS_PATH, refusedSecret, serviceAuthorization } from '@boxoffice/identity';
import { recording, type Trace } from '@boxoffice/runtime';
import { type Breaker, createBreaker } from './breaker.ts';
import { unavailable } from './upstream-failure.ts';

/** What the authorizer is asked: may the bearer of the token do that there? */
export interface Question {
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
export interface Authority {
  /** Keeps questions from an authorizer that fails. */
  readonly breaker: Pick<Breaker, 'state'>;
  /** Rejects with Fault unauthorized or forbidden, as the authorizer says, or service_unavailable if it says nothing. */
  decide(question: Question, trace: Trace): Promise<Decision>;
  /** Rejects with SecretRefused if SERVICE_SECRET is not the gateway's, and with any error otherwise. */
  changes(since: string | undefined): Promise<Changes>;
}

export interface AuthorityOptions {
  /** Undefined: there is none, and whatever needs its word is refused with 503. */
  readonly url: string | undefined;
  readonly secret: string;
  readonly timeoutMs?: number;
}

const silent = (): Fault => unavailable('The authorizer does not answer at the moment.');

interface Envelope {
  readonly details: string | null;
  readonly data: unknown;
}

/** A refusal of the authorizer as a fault of ours, which is then answered in its words. */
const relayed = (code: 'unauthorized' | 'forbidden', { details }: Envelope, response: Response): Fault => {
  const challenge = response.headers.get('www-authenticate');
  return new Fault(code, details ?? 'The authorizer refuses.', challenge ? { 'WWW-Authenticate': challenge } : {});
};

const REFUSALS = { 401: 'unauthorized', 403: 'forbidden' } as const;

const isDecision = (data: unknown): data is { readonly identity: string; readonly expiresAt: string } => {
  const { identity, expiresAt } = (data ?? {}) as { readonly identity?: unknown; readonly expiresAt?: unknown };
  return typeof identity === 'string' && typeof expiresAt === 'string' && !Number.isNaN(Date.parse(expiresAt));
};

/** Makes the caller of the authorizer. */
export const createAuthority = ({ url, secret, timeoutMs = 3_000 }: AuthorityOptions): Authority => {
  const breaker: Breaker = createBreaker({ openMs: 1_000 });
  const authorization = serviceAuthorization('gateway', secret);

  const post = (body: string, trace: Trace): Promise<Response> =>
    fetch(new URL(DECISIONS_PATH, url), {
      method: 'POST',
      headers: {
        authorization,
        'content-type': 'application/json',
        'x-request-id': trace.requestId,
        traceparent: trace.traceparent,
      },
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });

  /** A question changes nothing, so one whose connection broke is asked again. */
  const ask = async (body: string, trace: Trace): Promise<{ response: Response; answer: Envelope }> => {
    const response = await post(body, trace).catch((error: Error) => {
      if (error.name === 'TimeoutError') throw error;
      return post(body, trace);
    });
    return { response, answer: (await response.json()) as Envelope };
  };

  return {
    breaker,
    async decide(question, trace) {
      if (url === undefined || !breaker.enter(Date.now())) throw silent();
      const span = recording()?.({
        service: 'gateway',
        kind: 'client',
        name: 'decide',
        parent: trace.traceparent,
        attributes: { 'http.request.method': 'POST', 'server.address': 'authorizer' },
      });
      const within = span ? { requestId: trace.requestId, traceparent: span.traceparent } : trace;
      const asked = await ask(JSON.stringify(question), within).catch(() => undefined);
      if (asked) span?.set({ 'http.response.status_code': asked.response.status });
      span?.end(asked && asked.response.status < 500 ? undefined : String(asked?.response.status ?? 'unavailable'));
      if (!asked || asked.response.status >= 500) {
        breaker.failed(Date.now());
        throw silent();
      }
      breaker.succeeded();
      const { response, answer } = asked;
      // Without a challenge it is not the client's token that is refused but this gateway's secret, which polling reports.
      if (response.status === 401 && !response.headers.has('www-authenticate')) throw silent();
      if (response.status === 401 || response.status === 403)
        throw relayed(REFUSALS[response.status], answer, response);
      if (response.status !== 200 || !isDecision(answer.data)) throw silent();
      return { identity: answer.data.identity, expiresAt: Date.parse(answer.data.expiresAt) };
    },
    async changes(since) {
      const address = new URL(REVOCATIONS_PATH, url);
      if (since !== undefined) address.searchParams.set('since', since);
      const response = await fetch(address, {
        headers: { authorization },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      if (response.status === 401) throw new SecretRefused(await refusedSecret(response));
      if (response.status !== 200) throw new Error(`the authorizer answered ${response.status}`);
      return ((await response.json()) as { readonly data: Changes }).data;
    },
  };
};
