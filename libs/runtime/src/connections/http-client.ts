import type { IncomingHttpHeaders } from 'node:http';
import { Agent } from 'undici';
import { type Addresses, type Attempt, createAddresses } from './addresses.ts';

/** A request to another process of the installation. It may be sent more than once, so it must be idempotent. */
export interface HttpCall {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | undefined;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: object | undefined;
  /** For the whole call, in milliseconds. Default: 3,000. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Resolves with any status. Rejects without an answer, with the reason as the message; the process may have acted. */
type HttpClient = (call: HttpCall) => Promise<HttpAnswer>;

/** Idle ones end before the other side's keep-alive timeout, and do not keep the process alive. */
const agent = new Agent({
  connections: 256,
  connectTimeout: 2_000,
  // A call has its own deadline.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxResponseSize: 32 * 1024 * 1024,
  allowH2: false,
});

/** A stopping process may close several pooled connections, each as it is used again. */
const MOST_REPEATS = 2;

const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

const UNREACHABLE: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function createHttpClient(url: string, addresses: Addresses = createAddresses({ url })): HttpClient {
  const sendTo = async (attempt: Attempt, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> => {
    const { method = 'GET', path, headers, body } = call;
    const sent = {
      origin: attempt.endpoint.origin,
      method,
      path,
      headers: { ...headers, host: addresses.host, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
      signal,
    };
    try {
      const reply = await agent.request(sent);
      if (isLastAnswer(reply.headers)) attempt.leaves();
      const text = await reply.body.text();
      attempt.settle(reply.statusCode >= 500 ? 'failed' : 'succeeded');
      return { status: reply.statusCode, headers: reply.headers, text };
    } catch (error) {
      if (!call.signal?.aborted) attempt.settle('failed');
      throw error;
    } finally {
      attempt.end();
    }
  };

  const send = async (call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> => {
    const unreachable = new Set<string>();
    let attempt = await addresses.choose();
    if (!attempt) throw new Error('the service has no address');
    for (let repeats = 0; ; ) {
      try {
        return await sendTo(attempt, call, signal);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (UNREACHABLE.has(code)) unreachable.add(attempt.address);
        else if (BROKEN.has(code) && repeats < MOST_REPEATS) repeats += 1;
        else throw error;
        attempt = signal.aborted ? undefined : await addresses.choose(unreachable);
        if (!attempt) throw error;
      }
    }
  };

  return async (call) => {
    const deadline = startDeadline(call.timeoutMs ?? 3_000);
    const signal = call.signal ? AbortSignal.any([call.signal, deadline.signal]) : deadline.signal;
    try {
      return await send(call, signal);
    } finally {
      deadline.stop();
    }
  };
}

/** An answer that arrived while this process stood still counts: the event loop reads between timers and immediates. */
const startDeadline = (ms: number): { readonly signal: AbortSignal; stop(): void } => {
  const end = new AbortController();
  const timer = setTimeout(() => setImmediate(() => end.abort(new Error(`no answer within ${ms} ms`))), ms);
  return { signal: end.signal, stop: () => clearTimeout(timer) };
};

/** Whether an answer is the last on its connection: its process is about to stop. */
export function isLastAnswer({ connection }: IncomingHttpHeaders): boolean {
  return connection?.toLowerCase() === 'close';
}
