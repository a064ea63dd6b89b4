import type { Answer } from '../call.ts';
import { ApiError, ConnectionError, type Refusal, toGenericStatus } from '../errors.ts';

/** Rejects with the signal's reason as soon as it is aborted, else settles like the promise. */
export function rejectOnAbort<Value>(promise: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Resolves after this time. @throws the reason of the signal, as soon as it is aborted */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await rejectOnAbort(over, signal);
  } finally {
    clearTimeout(timer);
  }
}

export interface Limit {
  readonly signal: AbortSignal;
  restart(): void;
  end(): void;
}

/** Starts a time limit; `signal` of the result is aborted when it is over, or with the signal of the caller. */
export function startLimit(ms: number, caller: AbortSignal | undefined): Limit {
  const controller = new AbortController();
  const abort = () => controller.abort(caller?.reason);
  if (caller?.aborted) abort();
  caller?.addEventListener('abort', abort, { once: true });
  const isOver = () => controller.abort(new DOMException(`nothing arrived within ${ms} ms`, 'TimeoutError'));
  let timer = setTimeout(isOver, ms);
  return {
    signal: controller.signal,
    restart() {
      clearTimeout(timer);
      timer = setTimeout(isOver, ms);
    },
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', abort);
    },
  };
}

export interface Wire {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly timeoutMs: number;
}

export type Form = 'envelope' | 'bare' | 'blob';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Of a proxy's answer without envelope, the generic code of its status. */
export function parseRefusal({ status: httpStatus, headers }: Response, text: string): Refusal {
  const body = tryParse(text);
  const envelope = isObject(body) ? body : {};
  const { status = envelope.errorCode, details = envelope.errorMessage, data = null } = envelope;
  return {
    status: typeof status === 'string' ? status : toGenericStatus(httpStatus),
    httpStatus,
    details: typeof details === 'string' ? details : null,
    data,
    headers,
    envelope,
  };
}

const tryParse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

export async function sendOnce<Result>(
  fetch: Fetch,
  { method, url, headers, body, signal, timeoutMs }: Wire,
  read: (response: Response, limit: Limit) => Promise<Result>,
): Promise<Result> {
  const limit = startLimit(timeoutMs, signal);
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body }),
      signal: limit.signal,
      credentials: 'omit',
      redirect: 'error',
    });
    return await read(response, limit);
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    if (cause instanceof ApiError) throw cause;
    const reason = limit.signal.aborted ? limit.signal.reason : cause;
    const why = reason instanceof Error ? reason.message : String(reason);
    throw new ConnectionError(`${method} ${url}: ${why}`, { cause: reason });
  } finally {
    limit.end();
  }
}

export type Fail = (refusal: Refusal) => ApiError;

export async function readAnswer<Data>(
  response: Response,
  form: Form,
  fail: Fail = (refusal) => new ApiError(refusal),
): Promise<Answer<Data>> {
  const { ok, status: httpStatus, headers } = response;
  const answer = (data: unknown): Answer<Data> => ({
    data: data as Data,
    httpStatus,
    headers,
    requestId: headers.get('x-request-id'),
  });
  if (ok && form === 'blob') return answer(await response.blob());
  const text = await response.text();
  if (!ok) throw fail(parseRefusal(response, text));
  const body = tryParse(text);
  if (!isObject(body)) throw new Error(`the answer (${httpStatus}) is no JSON`);
  return answer(form === 'bare' ? body : body.data);
}
