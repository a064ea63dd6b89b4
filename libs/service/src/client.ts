import { Fault } from '@boxoffice/envelope';
import { IDENTITY_HEADER, type ServiceCredentials } from '@boxoffice/identity';
import {
  beginCall,
  createHttpClient,
  createTraceHeaders,
  type HttpAnswer,
  type HttpCall,
  type Logger,
} from '@boxoffice/runtime';

/** The parts of a generated operation that a caller deals with (openapi-typescript's form). */
interface Described {
  readonly parameters: { readonly path?: unknown; readonly query?: unknown };
  readonly requestBody?: unknown;
  readonly responses: unknown;
}

export type Operations<All> = { readonly [Id in keyof All]: Described };

type JsonOf<Content> = Content extends { readonly content: { readonly 'application/json': infer Json } } ? Json : never;

export type BodyOf<All extends Operations<All>, Id extends keyof All> = JsonOf<NonNullable<All[Id]['requestBody']>>;

export type QueryOf<All extends Operations<All>, Id extends keyof All> = NonNullable<All[Id]['parameters']['query']>;

export type PathOf<All extends Operations<All>, Id extends keyof All> = NonNullable<All[Id]['parameters']['path']>;

export type AnswerOf<All extends Operations<All>, Id extends keyof All> = All[Id]['responses'] extends {
  readonly 200: infer Success;
}
  ? JsonOf<Success> extends { readonly data: infer Data }
    ? Data
    : never
  : never;

type Body<Content> = [Content] extends [never] ? { readonly body?: never } : { readonly body: Content };

type RequestOf<All extends Operations<All>, Id extends keyof All> = Pick<All[Id]['parameters'], 'path' | 'query'> &
  Body<BodyOf<All, Id>> & {
    /** Milliseconds for the whole call; default: the client's. */
    readonly timeoutMs?: number;
  };

type RequestArguments<All extends Operations<All>, Id extends keyof All> =
  Record<never, never> extends RequestOf<All, Id> ? [request?: RequestOf<All, Id>] : [request: RequestOf<All, Id>];

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Route {
  readonly method: Method;
  /** With `{templates}`. */
  readonly path: string;
}

/** The internal operations of a service that another one may call: `npm run setup` generates it. */
export interface ServiceApi<All extends Operations<All>> {
  readonly service: string;
  readonly operations: { readonly [Id in keyof All]: Route };
}

type Values = Readonly<Record<string, string | number | boolean | undefined>>;

/** A call to another service that failed: no identity token, no answer, no envelope, or a 5xx. */
interface FailedCall {
  readonly operation: string;
  readonly reason: string;
  /** From the start of the call, including the time for its identity token. */
  readonly durationMs: number;
}

const LOGGED_EVERY_MS = 10_000;

/** The first is logged at once, then the last of ten seconds, with their number. `now`: monotonic milliseconds. */
export function createFailureLog(
  service: string,
  logger: Pick<Logger, 'warn'>,
  now: () => number = () => performance.now(),
): (failed: FailedCall) => void {
  let loggedAt = Number.NEGATIVE_INFINITY;
  let count = 0;

  return (failed) => {
    count += 1;
    if (now() - loggedAt < LOGGED_EVERY_MS) return;
    logger.warn('a call of another service failed', { upstream: service, ...failed, count });
    loggedAt = now();
    count = 0;
  };
}

export interface ServiceClient<All extends Operations<All>> {
  /** Not validated. Rejects with {@link ServiceRefusal} on 4xx, else `service_unavailable`: it may have acted. */
  call<Id extends keyof All & string>(
    institution: string,
    operationId: Id,
    ...request: RequestArguments<All, Id>
  ): Promise<AnswerOf<All, Id>>;
  /** As `call`, but undefined where the service answers 404. */
  find<Id extends keyof All & string>(
    institution: string,
    operationId: Id,
    ...request: RequestArguments<All, Id>
  ): Promise<AnswerOf<All, Id> | undefined>;
}

/** Another service answered 4xx: the caller decides how to handle it. */
export class ServiceRefusal extends Error {
  override readonly name = 'ServiceRefusal';
  readonly http: number;
  readonly status: string;
  readonly details: string | null;
  /** Seconds; undefined: it does not say when to repeat. */
  readonly retryAfter: string | undefined;

  constructor(service: string, http: number, status: string, details: string | null, retryAfter?: string) {
    super(`${service} answered ${http} ${status}: ${details}`);
    this.http = http;
    this.status = status;
    this.details = details;
    this.retryAfter = retryAfter;
  }
}

interface ServiceClientOptions {
  readonly url: string;
  readonly credentials: ServiceCredentials;
  /** Milliseconds for a whole call; default 3,000. */
  readonly timeoutMs?: number;
  readonly logger: Pick<Logger, 'warn'>;
}

interface Envelope {
  readonly status: string;
  readonly details: string | null;
  readonly data: unknown;
}

interface Request {
  readonly path?: Values;
  readonly query?: Values;
  readonly body?: object;
  readonly timeoutMs?: number;
}

export function createServiceClient<All extends Operations<All>>(
  { service, operations }: ServiceApi<All>,
  { url, credentials, timeoutMs: usual = 3_000, logger }: ServiceClientOptions,
): ServiceClient<All> {
  const send = createHttpClient(url);
  const logFailure = createFailureLog(service, logger);

  const log = (operation: string, reason: string, sentAt: number): void =>
    logFailure({ operation, reason, durationMs: Math.round(performance.now() - sentAt) });

  const unavailable = (operation: string, reason: string, sentAt: number): Fault => {
    log(operation, reason, sentAt);
    return new Fault('service_unavailable', `The ${service} service does not answer at the moment.`, {
      'Retry-After': '1',
    });
  };

  const sendTraced = async (operation: string, sent: HttpCall): Promise<HttpAnswer> => {
    const span = beginCall(operation, { 'http.request.method': sent.method ?? 'GET', 'server.address': service });
    const trace = { ...createTraceHeaders(), ...(span && { traceparent: span.traceparent }) };
    try {
      const answer = await send({ ...sent, headers: { ...sent.headers, ...trace } });
      span?.set({ 'http.response.status_code': answer.status });
      span?.end(answer.status >= 500 ? String(answer.status) : undefined);
      return answer;
    } catch (error) {
      span?.end('unavailable');
      throw error;
    }
  };

  const call: ServiceClient<All>['call'] = async (institution, operation, ...[request]) => {
    const { method, path: template } = operations[operation];
    const { path, query, body, timeoutMs = usual } = (request ?? {}) as Request;
    const sentAt = performance.now();
    const identity = await credentials
      .tokenFor({ audience: service, institution, operation })
      .catch((error: unknown) => {
        if (error instanceof Fault) log(operation, error.details, sentAt);
        throw error;
      });
    const sent = {
      method,
      path: addressOf(template, path, query),
      headers: { [IDENTITY_HEADER]: identity },
      body,
      timeoutMs,
    };
    const {
      status: http,
      text,
      headers,
    } = await sendTraced(operation, sent).catch((error: Error) => {
      throw unavailable(operation, error.message, sentAt);
    });
    const envelope = parseEnvelope(text);
    if (envelope === undefined || http >= 500) throw unavailable(operation, `it answered ${http}`, sentAt);
    if (http >= 400) throw new ServiceRefusal(service, http, envelope.status, envelope.details, headers['retry-after']);
    return envelope.data as AnswerOf<All, typeof operation>;
  };

  return {
    call,
    find: (...request) =>
      call(...request).catch((error: unknown) => {
        if (error instanceof ServiceRefusal && error.http === 404) return undefined;
        throw error;
      }),
  };
}

/** The path with its variables filled in, and the query. An ill-formed text becomes one that is not an id. */
const addressOf = (template: string, path: Values = {}, query: Values = {}): string => {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path[name]).toWellFormed()));
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, String(value));
  return given.size === 0 ? filled : `${filled}?${given}`;
};

const parseEnvelope = (text: string): Envelope | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'status' in value ? (value as Envelope) : undefined;
  } catch {
    return undefined;
  }
};
