// The part of the provider's HTTP interface that the service uses, as a `fetch` for its SDK.

import { createHash } from 'node:crypto';
import { createRandomId } from '@boxoffice/runtime';
import { IdempotencyKeyTaken, type IdempotencyRecord, type RememberedAnswer, type Store } from '@boxoffice/store';
import { createMissingFault, type Effect, readEffect, readObject, splitPath } from './operations.ts';
import { ProviderFault } from './session.ts';
import { type Session, type SimulatedSession, simulatedSessionsCollection } from './store.ts';

/** Then the provider forgets an idempotency key (docs.stripe.com/api/idempotent_requests). */
const DAY_MS = 24 * 60 * 60_000;

/** Keys of an institution are all of one account; others are refused. */
const KEY = /^Bearer (?:sk|rk)_simulated_\S+$/;

/** `fails` and `fails_after_effect`: the provider answers 500, which it repeats like every answer of a key. */
export type Execution = 'works' | 'fails' | 'fails_after_effect';

export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly form: URLSearchParams;
  readonly idempotencyKey: string | undefined;
  readonly institution: string;
}

/** For tests of what a provider can do to its callers: throws, waits or answers, before or after the execution. */
export type Disturb = (request: ProviderRequest, execute: (how?: Execution) => Promise<Response>) => Promise<Response>;

export interface SimulatedApi {
  readonly store: Store;
  readonly institution: string;
  readonly toPageUrl: (sessionId: string) => string;
  readonly now: () => number;
  /** After a session's change by a call is durable. */
  readonly onChange?: (before: Session, after: SimulatedSession) => void;
  readonly disturb?: Disturb | undefined;
}

/** A `fetch` that is the provider for one institution: its SDK gets it as its HTTP client. */
export function createSimulatedFetch(api: SimulatedApi): typeof fetch {
  const { institution, disturb = (_request, execute) => execute() } = api;
  return async (input, init) => {
    const { pathname, searchParams } = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init?.headers);
    const method = init?.method ?? 'GET';
    const request: ProviderRequest = {
      method,
      path: pathname,
      form: method === 'GET' ? searchParams : new URLSearchParams(String(init?.body ?? '')),
      idempotencyKey: headers.get('idempotency-key') ?? undefined,
      institution,
    };
    const execute = async (how: Execution = 'works'): Promise<Response> => {
      try {
        if (!KEY.test(headers.get('authorization') ?? '')) throw new ProviderFault(401, 'Invalid API Key provided.');
        return toResponse(await answer(api, request, how));
      } catch (error) {
        if (error instanceof ProviderFault) return toResponse(toAnswer(error));
        throw error;
      }
    };
    const response = await disturb(request, execute);
    init?.signal?.throwIfAborted();
    return response;
  };
}

export function createErrorResponse(status: number, message: string, members?: Readonly<Record<string, string>>) {
  return toResponse(toAnswer(new ProviderFault(status, message, members)));
}

const toAnswer = ({ status, error }: ProviderFault): RememberedAnswer => ({ status, headers: {}, body: { error } });

const FAILED = toAnswer(new ProviderFault(500, 'An unknown error occurred.', { type: 'api_error' }));

const toResponse = ({ status, headers, body }: RememberedAnswer): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'request-id': createRandomId('req', 14), ...headers },
  });

const answer = async (api: SimulatedApi, request: ProviderRequest, how: Execution): Promise<RememberedAnswer> => {
  const { method, path, form } = request;
  const documents = api.store.collection(simulatedSessionsCollection).of(api.institution);
  const now = Math.floor(api.now() / 1_000);
  const call = { documents, form, now, toPageUrl: api.toPageUrl, ...splitPath(path) };
  if (method === 'GET' && how !== 'works') return FAILED;
  const body = method === 'GET' ? await readObject(call) : undefined;
  if (body) return { status: 200, headers: {}, body };
  const effect = method === 'POST' ? readEffect(call) : undefined;
  if (!effect) throw new ProviderFault(404, `Unrecognized request URL (${method}: ${path}).`);
  return executeOnce(api, request, effect, how);
};

const REPLAYED = { 'idempotent-replayed': 'true' };

/** The first answer to a key is the key's, errors included, until the provider forgets it. */
const executeOnce = async (
  { store, institution, now, onChange }: SimulatedApi,
  { method, path, form, idempotencyKey }: ProviderRequest,
  effect: Effect,
  how: Execution,
): Promise<RememberedAnswer> => {
  const fingerprint = createHash('sha256').update(`${method} ${path}\n${form}`).digest('base64');
  const stamp = (one: RememberedAnswer): RememberedAnswer => ({ ...one, headers: { [ANSWERED_AT]: `${now()}` } });
  const show = (session: Session): RememberedAnswer =>
    how === 'works' ? { status: 200, headers: {}, body: effect.show(session) } : FAILED;

  for (;;) {
    const found =
      idempotencyKey === undefined ? undefined : await findKey(store, `${institution} ${idempotencyKey}`, now());
    if (found?.stored && found.stored.fingerprint !== fingerprint)
      throw new ProviderFault(
        400,
        'Keys for idempotent requests can only be used with the same parameters they were first used with. ' +
          `Try using a key other than '${idempotencyKey}' if you meant to execute a different request.`,
        { type: 'idempotency_error' },
      );
    if (found?.stored) return { ...found.stored.answer, headers: REPLAYED };

    const record = found && { key: found.name, fingerprint, expiresAt: Date.now() + DAY_MS };
    const refuse = async (refusal: RememberedAnswer): Promise<RememberedAnswer> => {
      const earlier = record && (await store.idempotency.remember(record, stamp(refusal)));
      return earlier ? { ...earlier.answer, headers: REPLAYED } : refusal;
    };
    if (how === 'fails') return refuse(FAILED);
    try {
      const remembered = record && { ...record, answer: (session: SimulatedSession) => stamp(show(session)) };
      const { before, after } = await write(store, institution, effect, remembered);
      if (before) onChange?.(before, after);
      return show(after);
    } catch (error) {
      if (error instanceof ProviderFault) return refuse(toAnswer(error));
      if (!(error instanceof IdempotencyKeyTaken)) throw error;
    }
  }
};

const write = async (
  store: Store,
  institution: string,
  { to }: Effect,
  idempotencyRecord: IdempotencyRecord<SimulatedSession> | undefined,
): Promise<{ readonly before?: Session; readonly after: SimulatedSession }> => {
  const sessions = store.collection(simulatedSessionsCollection).of(institution);
  if ('make' in to) return { after: await sessions.insert(to.make, { idempotencyRecord }) };
  let before: Session | undefined;
  const change = (current: SimulatedSession) => {
    before = current;
    return { next: to.change(current) };
  };
  const after = await sessions.update(to.id, change, { idempotencyRecord });
  if (!before || !after) throw createMissingFault(to.id);
  return { before, after };
};

const ANSWERED_AT = 'answered-at';

/** A key that the provider has forgotten is another one in the store, whose clock is not the simulated one. */
const findKey = async (store: Store, key: string, now: number) => {
  for (let use = 1; ; use += 1) {
    const name = `simulated ${key} ${use}`;
    const stored = await store.idempotency.find(name);
    if (!stored || now < Number(stored.answer.headers[ANSWERED_AT]) + DAY_MS) return { name, stored };
  }
};
