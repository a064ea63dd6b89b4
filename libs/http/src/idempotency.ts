import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Outcome, Outcomes } from './answers/outcome.ts';
import type { Answer, IdempotencyRecord } from './operation.ts';
import { canonicalJson } from './requests/canonical-json.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from './shape.ts';

/** How long an answer is stored. */
export const IDEMPOTENCY_RETENTION_MS = 24 * 60 * 60 * 1000;

/** One request's attempt at a key, from `begin`: ending it or storing its answer affects no later attempt. */
export interface Attempt {
  readonly key: string;
  readonly fingerprint: string;
  readonly expiresAt: number;
  readonly id: string;
}

/** Where answers are stored (structurally the store's `Idempotency`, whose port documents each method). */
export interface IdempotencyPort {
  begin(
    key: string,
    fingerprint: string,
    expiresAt: number,
  ): Promise<
    | { readonly state: 'fresh'; readonly attempt: Attempt }
    | { readonly state: 'running'; readonly fingerprint: string }
    | { readonly state: 'remembered'; readonly fingerprint: string; readonly answer: Outcome }
  >;
  /** False, without a write, if the key no longer belongs to the attempt. */
  remember(attempt: Attempt, answer: Outcome): Promise<boolean>;
  end(attempt: Attempt): Promise<void>;
  /** Deletes all but the given number of the answers with the subject. */
  trim?(subject: string, most: number): Promise<void>;
}

/** Stored answers of one session: the newest ones stay. */
export const MOST_ANSWERS_PER_SESSION = 500;

/** One use of an Idempotency-Key. */
export interface Ticket {
  readonly key: string;
  readonly fingerprint: string;
  /** The fingerprint of the body's bytes, which records of release 0.1 have: they repeat for 24 h after an upgrade. */
  readonly bytesFingerprint: string;
  readonly expiresAt: number;
  /** The session of the key, as the subject of its answers: they are deleted with it, and bounded. */
  readonly session?: string | undefined;
}

/** Makes the idempotency record that carries an answer into the write that is its effect. */
export type Remember = <Document>(answer: (document: Document) => Answer) => IdempotencyRecord<Document> | undefined;

/** The value of `remember` without an Idempotency-Key. */
export const rememberNothing: Remember = () => undefined;

const hash = (...parts: readonly (string | Buffer)[]): string => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('base64url');
};

/** Whose request it is. */
interface Sender {
  /** Separates the keys of callers. */
  readonly scope: string;
  /** What bounds the data that the caller sees, as a text; empty if nothing does. */
  readonly restriction: string;
  readonly session?: string | undefined;
}

/**
 * The ticket of a request, or undefined without a key. The key is stored as a hash, separate from other callers' keys.
 */
export const ticketOf = (
  request: IncomingMessage,
  { scope, restriction, session }: Sender,
  body: Buffer,
  now: number,
): Ticket | undefined => {
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  if (key.length === 0 || key.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    const limits = `1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`;
    throw new Fault('invalid_parameter', `header Idempotency-Key must have ${limits}.`);
  }
  // With another condition it is another request, whose answer may differ. So it is under another restriction: the
  // stored answer may show what is out of bounds now.
  const fingerprintOf = (content: string | Buffer): string =>
    hash(
      request.method ?? '',
      request.url ?? '',
      request.headers['if-match'] ?? '',
      content,
      ...(restriction === '' ? [] : [restriction]),
    );
  return {
    key: hash(scope, key),
    fingerprint: fingerprintOf(canonicalJson(body) ?? body),
    bytesFingerprint: fingerprintOf(body),
    expiresAt: now + IDEMPOTENCY_RETENTION_MS,
    session,
  };
};

const inProgress = () =>
  new Fault('idempotency_in_progress', 'The first request with this Idempotency-Key is still running.', {
    'Retry-After': '1',
  });

/** Whether the answer is final: neither an internal failure nor an answer with Retry-After. */
const isRefusal = (error: unknown): error is Fault =>
  error instanceof Fault && error.http < 500 && error.headers['Retry-After'] === undefined;

/** Libraries do not import the store; its errors are recognised by name. */
const isKeyTaken = (error: unknown): boolean => error instanceof Error && error.name === 'IdempotencyKeyTaken';

/**
 * Runs a request's effect at most once per ticket: replays a stored outcome, refuses a key that is reused or still
 * running, and stores the outcome, unless a write carries it already or it is a 5xx.
 */
export const createOnce = (port: IdempotencyPort, outcomes: Outcomes, logger: Pick<Logger, 'error'>) => {
  /** A new attempt, or the stored answer of the key. */
  const lookUp = async (ticket: Ticket): Promise<{ readonly attempt: Attempt } | { readonly outcome: Outcome }> => {
    const { key, fingerprint, bytesFingerprint, expiresAt } = ticket;
    const known = await port.begin(key, fingerprint, expiresAt);
    if (known.state === 'fresh') return { attempt: known.attempt };
    if (known.fingerprint !== fingerprint && known.fingerprint !== bytesFingerprint) {
      throw new Fault('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
    }
    if (known.state === 'running') throw inProgress();
    const { answer } = known;
    return { outcome: { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } } };
  };

  /** The effect exists already: a failure to store its answer must not turn it into an error. */
  const settle = <T>(act: Promise<T>): Promise<T | undefined> =>
    act.catch((error) => {
      logger.error('an answer could not be stored, or its Idempotency-Key not released', { error });
      return undefined;
    });

  return async (ticket: Ticket, run: (remember: Remember) => Promise<Outcome>): Promise<Outcome> => {
    const looked = await lookUp(ticket);
    if ('outcome' in looked) return looked.outcome;
    const { attempt } = looked;
    const { session } = ticket;
    let hasEnded = false;
    const end = async () => {
      if (hasEnded) return;
      hasEnded = true;
      await settle(port.end(attempt));
    };
    const ofSession = (outcome: Outcome): Outcome =>
      session === undefined ? outcome : { ...outcome, subjects: [...(outcome.subjects ?? []), session] };
    const keep = async (outcome: Outcome): Promise<void> => {
      const isStored = await settle(port.remember(attempt, ofSession(outcome)));
      hasEnded = isStored !== undefined;
      if (isStored === false) {
        logger.error('an answer is not stored: the request took so long that another one has its Idempotency-Key');
      }
      if (session !== undefined && port.trim) await settle(port.trim(session, MOST_ANSWERS_PER_SESSION));
    };
    let isWritten = false;
    const remember: Remember = (answer) => ({
      ...ticket,
      answer: (document) => {
        isWritten = true;
        return ofSession(outcomes.ofAnswer(answer(document)));
      },
    });
    try {
      const outcome = await run(remember);
      if (!isWritten && outcome.status < 500) await keep(outcome);
      return outcome;
    } catch (error) {
      if (isKeyTaken(error)) {
        // Another instance took the key meanwhile, and its write won. This attempt's lock would hide its
        // answer.
        await end();
        const winner = await lookUp(ticket);
        if ('outcome' in winner) return winner.outcome;
        await settle(port.end(winner.attempt));
        throw inProgress();
      }
      if (isRefusal(error)) await keep(outcomes.ofFault(error));
      throw error;
    } finally {
      // In every case, also after a failure to store the answer: a repeat is admitted from now on.
      await end();
    }
  };
};
