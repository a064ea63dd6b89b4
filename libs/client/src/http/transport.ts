import type { Answer } from '../call.ts';
import { ApiError } from '../errors.ts';
import type { Authentication } from '../tokens/authentication.ts';
import { type Fail, type Fetch, type Form, readAnswer, sent, type Wire } from './exchange.ts';
import { createRepetitions, type Repeatable, type Repetition } from './repeat.ts';
import type { Limit } from './wait.ts';
import { delay } from './wait.ts';

/** Sends requests of one client. */
export interface Transport {
  /** Sends a request until it is answered, or must not be repeated. */
  call<Data>(wire: Wire & { readonly repeatable: Repeatable }, form: Form, isOpen: boolean): Promise<Answer<Data>>;
  /** Sends a request once, and once more with another token after a 401. */
  once<Result>(wire: Wire, read: (response: Response, limit: Limit) => Promise<Result>): Promise<Result>;
}

/** Creates the transport of a client. */
export const createTransport = (
  fetch: Fetch,
  authentication: Authentication,
  repetition: Repetition,
  fail?: Fail,
): Transport => {
  const once: Transport['once'] = async (wire, read) => {
    const attempt = async (credentials: Readonly<Record<string, string>>) =>
      sent(fetch, { ...wire, headers: { ...credentials, ...wire.headers } }, read);
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
          return (await (isOpen ? sent(fetch, wire, read) : once(wire, read))) as Answer<never>;
        } catch (error) {
          const ms = repeatedAfter(error);
          if (ms === undefined) throw error;
          await delay(ms, wire.signal);
        }
      }
    },
  };
};
