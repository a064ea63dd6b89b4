import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { Fault } from '@boxoffice/envelope';
import type { ServiceCredentials } from '@boxoffice/identity';
import { beginCall, createInstances, type Span, traceHeaders } from '@boxoffice/runtime';
import { renewing } from './renewing.ts';

/** One internal operation of another service. */
export interface PeerCall {
  /** Its operationId: the identity token names it. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its variables filled in and encoded. */
  readonly path: string;
  readonly body?: object;
  /** Milliseconds for the whole call; default: the peer's. */
  readonly timeoutMs?: number;
}

/** Another service, called with this one's own credentials. */
export interface Peer {
  /**
   * Answers the `data` of the envelope. Rejects with Fault `service_unavailable` when the peer cannot be reached, takes too long
   * or fails (5xx): then it may or may not have acted, so operations are idempotent. Rejects with {@link PeerRefusal} when it refuses.
   */
  call<Data>(institution: string, call: PeerCall): Promise<Data>;
  close(): void;
}

/** A peer answered 4xx: the caller decides what that means. */
export class PeerRefusal extends Error {
  override readonly name = 'PeerRefusal';
  readonly http: number;
  readonly status: string;
  readonly details: string | null;

  constructor(peer: string, http: number, status: string, details: string | null) {
    super(`${peer} answered ${http} ${status}: ${details}`);
    this.http = http;
    this.status = status;
    this.details = details;
  }
}

export interface PeerOptions {
  /** The service's name: the audience of the tokens. */
  readonly name: string;
  /** Its address. */
  readonly url: string;
  readonly credentials: ServiceCredentials;
  /** Milliseconds for a whole call; default 3,000. */
  readonly timeoutMs?: number;
  /** Milliseconds after which a kept connection is used no more, so that all instances of the service get work; default 20,000. */
  readonly renewedAfterMs?: number;
}

interface Envelope {
  readonly status: string;
  readonly details: string | null;
  readonly data: unknown;
}

const read = async (response: IncomingMessage): Promise<string> => {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};

const parsed = (text: string): Envelope | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'status' in value ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
};

/** What a call goes with. */
interface Leave {
  readonly identity: string;
  readonly timeoutMs: number;
  readonly span: Span | undefined;
}

/** The peer closed a kept connection in the moment in which it was used again: nothing was read, so the call may be repeated. */
class ConnectionGone extends Error {}

/** Makes the client of one other service; it keeps its connections. */
export const createPeer = (given: PeerOptions): Peer => {
  const { name, url, credentials, timeoutMs: usual = 3_000, renewedAfterMs = 20_000 } = given;
  const { protocol, hostname, port } = new URL(url);
  const secure = protocol === 'https:';
  const { lookup, leaving } = createInstances();
  const options = { keepAlive: true, maxSockets: 256, lookup };
  const agent = renewing(secure ? new SecureAgent(options) : new Agent(options), renewedAfterMs);
  const target = { protocol, hostname, port, lookup };

  const unavailable = (): Fault =>
    new Fault('service_unavailable', `The ${name} service does not answer at the moment.`, { 'Retry-After': '1' });

  const exchange = (
    call: PeerCall,
    { identity, timeoutMs, span }: Leave,
    through: typeof agent | false = agent,
  ): Promise<{ http: number; text: string }> =>
    new Promise((resolve, reject) => {
      const body = call.body && JSON.stringify(call.body);
      const headers = {
        ...traceHeaders(),
        ...(span && { traceparent: span.traceparent }),
        'X-Internal-Identity': identity,
        ...(body === undefined
          ? {}
          : { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)) }),
      };
      const options = { ...target, agent: through, method: call.method, path: call.path, headers };
      const sent = (secure ? secureRequest : request)(options);
      const timer = setTimeout(() => sent.destroy(new Error('timeout')), timeoutMs);
      const end = (act: () => void): void => {
        clearTimeout(timer);
        act();
      };
      sent.on('response', (response) => {
        // An instance that stops says so; without an agent it is this call that has asked for it.
        if (through && response.headers.connection === 'close') leaving(response.socket.remoteAddress);
        read(response).then(
          (text) => end(() => resolve({ http: response.statusCode ?? 0, text })),
          () => end(() => reject(unavailable())),
        );
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        const gone = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        end(() => reject(gone ? new ConnectionGone() : unavailable()));
      });
      sent.end(body);
    });

  const withFreshConnection = (call: PeerCall, leave: Leave) =>
    exchange(call, leave).catch((error: unknown) => {
      if (!(error instanceof ConnectionGone)) throw error;
      // Where one was closed, the others may be as well: an instance stops.
      return exchange(call, leave, false);
    });

  const recorded = async (call: PeerCall, send: (span: Span | undefined) => ReturnType<typeof exchange>) => {
    const span = beginCall(call.operation, { 'http.request.method': call.method, 'server.address': name });
    if (!span) return send(undefined);
    try {
      const answer = await send(span);
      span.set({ 'http.response.status_code': answer.http });
      span.end(answer.http >= 500 ? String(answer.http) : undefined);
      return answer;
    } catch (error) {
      span.end('unavailable');
      throw error;
    }
  };

  return {
    call: async <Data>(institution: string, call: PeerCall): Promise<Data> => {
      const identity = await credentials.tokenFor({ audience: name, institution, operation: call.operation });
      const { http, text } = await recorded(call, (span) =>
        withFreshConnection(call, { identity, timeoutMs: call.timeoutMs ?? usual, span }),
      );
      const envelope = parsed(text);
      if (envelope === undefined || http >= 500) throw unavailable();
      if (http >= 400) throw new PeerRefusal(name, http, envelope.status, envelope.details);
      return envelope.data as Data;
    },
    close: () => agent.destroy(),
  };
};
