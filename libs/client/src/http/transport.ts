import type { Answer } from '../call.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { delay, type Fail, type Fetch, type Form, type Limit, readAnswer, sendOnce, type Wire } from './exchange.ts';

export interface Repetition {
  readonly retries: number;
  readonly maxDelayMs: number;
}

/** `always`: a second request has no second effect. `refused`: only what was refused before any effect is repeated. */
export type Repeatable = 'always' | 'refused' | 'never';

const FIRST_MS = 500;
const AWAY = [502, 503];

export function computeBackoff(attempt: number, maxDelayMs: number): number {
  return Math.min(maxDelayMs, FIRST_MS * 2 ** attempt) * (0.5 + Math.random() / 2);
}

/** Milliseconds, while the first request with the key runs: longer than the key of a dead process is kept (10 s). */
const IN_PROGRESS_MS = 15_000;

/** Milliseconds until the request is repeated; undefined if it is not. */
export function createRepetitions(
  repeatable: Repeatable,
  { retries, maxDelayMs }: Repetition,
  now: () => number = () => performance.now(),
): (error: unknown) => number | undefined {
  let repetitions = 0;
  let inProgressUntil: number | undefined;
  return (error) => {
    if (repeatable === 'never' || retries === 0) return undefined;
    const asked = error instanceof ApiError && error.retryAfter !== null ? error.retryAfter * 1_000 : 0;
    if (asked > maxDelayMs) return undefined;
    if (error instanceof ApiError && error.status === 'idempotency_in_progress') {
      inProgressUntil ??= now() + IN_PROGRESS_MS;
      return now() < inProgressUntil ? Math.max(asked, computeBackoff(0, maxDelayMs)) : undefined;
    }
    if (repetitions >= retries || !mayRepeat(error, repeatable)) return undefined;
    repetitions += 1;
    return Math.max(asked, computeBackoff(repetitions - 1, maxDelayMs));
  };
}

const mayRepeat = (error: unknown, repeatable: Repeatable): boolean => {
  if (error instanceof ConnectionError) return repeatable === 'always';
  if (!(error instanceof ApiError)) return false;
  const { httpStatus } = error;
  // Family B answers 500 to whatever fails, with Retry-After where waiting helps.
  const isAway = AWAY.includes(httpStatus) || (httpStatus === 500 && error.retryAfter !== null);
  return httpStatus === 429 || (repeatable === 'always' && isAway);
};

export interface Authentication {
  /** The headers of the next request; gets or renews the token if need be. */
  headers(signal?: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** After a 401 to these headers: whether there are other ones now. */
  renew(used: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<boolean>;
}

export interface Transport {
  /** Sends a request until it is answered, or must not be repeated. */
  call<Data>(wire: Wire & { readonly repeatable: Repeatable }, form: Form, isOpen: boolean): Promise<Answer<Data>>;
  /** Sends a request once, and once more with another token after a 401. */
  once<Result>(wire: Wire, read: (response: Response, limit: Limit) => Promise<Result>): Promise<Result>;
}

export function createTransport(
  fetch: Fetch,
  authentication: Authentication,
  repetition: Repetition,
  fail?: Fail,
): Transport {
  const once: Transport['once'] = async (wire, read) => {
    const attempt = async (credentials: Readonly<Record<string, string>>) =>
      sendOnce(fetch, { ...wire, headers: { ...credentials, ...wire.headers } }, read);
    const credentials = await authentication.headers(wire.signal);
    try {
      return await attempt(credentials);
    } catch (error) {
      const isRefused = error instanceof ApiError && error.httpStatus === 401;
      if (!isRefused || !(await authentication.renew(credentials, wire.signal))) throw error;
      return attempt(await authentication.headers(wire.signal));
    }
  };
  return {
    once,
    async call(wire, form, isOpen) {
      const read = (response: Response) => readAnswer(response, form, fail);
      const repeatedAfter = createRepetitions(wire.repeatable, repetition);
      for (;;) {
        try {
          return (await (isOpen ? sendOnce(fetch, wire, read) : once(wire, read))) as Answer<never>;
        } catch (error) {
          const ms = repeatedAfter(error);
          if (ms === undefined) throw error;
          await delay(ms, wire.signal);
        }
      }
    },
  };
}
