import { type IncomingHttpHeaders, Agent as PlainAgent, request as sendPlain } from 'node:http';
import { request as sendTls, Agent as TlsAgent } from 'node:https';
import { type Addresses, type Attempt, createAddresses } from './addresses.ts';
import { limitConnecting } from './connecting.ts';

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

const CONNECT_MS = 2_000;

/** Of a body. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Idle connections end before the other side's keep-alive timeout, and do not keep the process alive. */
const pool = { keepAlive: true, maxSockets: 256, timeout: 60_000 };

const agents = { plain: new PlainAgent(pool), tls: new TlsAgent(pool) };

/** A stopping process may close several pooled connections, each as it is used again. */
const MOST_REPEATS = 2;

const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

const UNREACHABLE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT']);

export function createHttpClient(url: string, addresses: Addresses = createAddresses({ url })): HttpClient {
  const sendTo = async (attempt: Attempt, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> => {
    try {
      const answer = await exchange(attempt, addresses.host, call, signal);
      if (isLastAnswer(answer.headers)) attempt.leaves();
      attempt.settle(answer.status >= 500 ? 'failed' : 'succeeded');
      return answer;
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

/** @throws {Error} what broke the connection, or the signal's reason */
const exchange = (
  { endpoint: { protocol, hostname, port } }: Attempt,
  host: string,
  { method = 'GET', path, headers, body }: HttpCall,
  signal: AbortSignal,
): Promise<HttpAnswer> => {
  signal.throwIfAborted();
  const type = body && { 'content-type': 'application/json' };
  const options = { hostname, port, method, path, headers: { ...headers, host, ...type } };
  const sent =
    protocol === 'https:' ? sendTls({ ...options, agent: agents.tls }) : sendPlain({ ...options, agent: agents.plain });
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const fail = (error: unknown): void => {
    reject(error);
    sent.destroy();
  };
  const abort = (): void => fail(signal.reason);
  signal.addEventListener('abort', abort);
  sent.once('socket', (socket) => limitConnecting(socket, CONNECT_MS));
  sent.on('error', fail);
  // Otherwise Node closes the connection without an error.
  sent.once('upgrade', (_reply, socket) => {
    socket.destroy();
    fail(new Error('the answer switches protocols'));
  });
  sent.once('response', (reply) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    reply.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MOST_BYTES) fail(new Error(`the answer has more than ${MOST_BYTES} bytes`));
    });
    reply.on('error', fail);
    reply.once('end', () => {
      const { statusCode: status = 0, headers: received } = reply;
      resolve({ status, headers: received, text: Buffer.concat(chunks).toString() });
    });
  });
  sent.end(body && JSON.stringify(body));
  return promise.finally(() => signal.removeEventListener('abort', abort));
};

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
