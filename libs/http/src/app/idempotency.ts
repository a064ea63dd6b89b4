import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Outcome, Outcomes } from '../answers/outcome.ts';
import type { Answer, IdempotencyRecord } from '../operation.ts';
import { canonicaliseJson } from '../requests/body.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../shape.ts';

/** How long an answer is stored. */
const IDEMPOTENCY_RETENTION_MS = 24 * 60 * 60 * 1000;

/** The answer of a key, with the fingerprint of the request that it answers. */
interface Stored {
  readonly fingerprint: string;
  readonly answer: Outcome;
}

/** Where answers are stored (structurally the store's `Idempotency`, whose port documents each method). */
export interface IdempotencyPort {
  find(key: string): Promise<Stored | undefined>;
  /** The answer that the key has already: then this one is not stored. */
  remember(request: Pick<Ticket, 'key' | 'fingerprint' | 'expiresAt'>, answer: Outcome): Promise<Stored | undefined>;
  /** Deletes all but the given number of the answers with the subject. */
  trim(subject: string, most: number): Promise<void>;
}

/** Stored answers of one session: the newest ones stay. */
export const MOST_ANSWERS_PER_SESSION = 500;

/** One use of an Idempotency-Key. */
export interface Ticket {
  readonly key: string;
  readonly fingerprint: string;
  /** That of records of release 0.3, which repeat for 24 h after an upgrade. */
  readonly earlierFingerprint: string;
  readonly expiresAt: number;
  /** The session of the key, as the subject of its answers: they are deleted with it, and bounded. */
  readonly session?: string | undefined;
}

/** Makes the idempotency record that carries an answer into the write that is its effect. */
export type Remember = <Document>(answer: (document: Document) => Answer) => IdempotencyRecord<Document> | undefined;

/** The value of `remember` without an Idempotency-Key. */
export const rememberNothing: Remember = () => undefined;

/** Whose request it is. */
interface Sender {
  /** Separates the keys of callers. */
  readonly scope: string;
  /** What bounds the data that the caller sees, as a text; empty if nothing does. */
  readonly restriction: string;
  readonly session?: string | undefined;
}

/** The ticket of a request with this key, which is stored as a hash, separate from other callers' keys. */
export function createIdempotencyTicket(
  request: IncomingMessage,
  key: string,
  { scope, restriction, session }: Sender,
  body: Buffer,
  now: number,
): Ticket {
  if (key.length === 0 || key.length > MAX_IDEMPOTENCY_KEY_LENGTH) {
    const limits = `1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} characters`;
    throw new Fault('invalid_parameter', `header Idempotency-Key must have ${limits}.`);
  }
  // No header takes part. Under another restriction it is another request: the stored answer may show what is out of
  // bounds now. Release 0.3 had If-Match as the third part.
  const value = canonicaliseJson(body) ?? body;
  const fingerprintOf = (condition = ''): string =>
    hash(request.method ?? '', request.url ?? '', condition, value, ...(restriction === '' ? [] : [restriction]));
  return {
    key: hash(scope, key),
    fingerprint: fingerprintOf(),
    earlierFingerprint: fingerprintOf(request.headers['if-match']),
    expiresAt: now + IDEMPOTENCY_RETENTION_MS,
    session,
  };
}

const hash = (...parts: readonly (string | Buffer)[]): string => {
  const digest = createHash('sha256');
  for (const part of parts) digest.update(part).update('\0');
  return digest.digest('base64url');
};

/**
 * Gives every request of a ticket the first answer: the stored one, or that of this request, which is stored with its
 * effect, or afterwards if no write carries it; a 5xx is not. There is no lock. Two requests at once both try: the
 * write of the second meets the record of the first, and its refusal the first's answer.
 */
export function createOnce(port: IdempotencyPort, outcomes: Outcomes, logger: Pick<Logger, 'error'>) {
  /** The effect may exist already: a failure to read or store its answer must not turn it into an error. */
  const settle = <T>(act: Promise<T>): Promise<T | undefined> =>
    act.catch((error) => {
      logger.error('the answer of an Idempotency-Key could not be stored or read', { error });
      return undefined;
    });

  return async (ticket: Ticket, run: (remember: Remember) => Promise<Outcome>): Promise<Outcome> => {
    const { key, session } = ticket;
    const first = await port.find(key);
    if (first) return replayed(ticket, first);
    const ofSession = (outcome: Outcome): Outcome =>
      session === undefined ? outcome : { ...outcome, subjects: [...(outcome.subjects ?? []), session] };
    /** Stores the answer, unless another request was first: then that one's. */
    const keep = async (outcome: Outcome): Promise<Stored | undefined> => {
      const earlier = await settle(port.remember(ticket, ofSession(outcome)));
      if (session !== undefined) await settle(port.trim(session, MOST_ANSWERS_PER_SESSION));
      return earlier;
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
      const earlier = isWritten || outcome.status >= 500 ? undefined : await keep(outcome);
      return earlier ? replayed(ticket, earlier) : outcome;
    } catch (error) {
      // What failed, or was refused, may have met the effect of another request with the key.
      const isTaken = isKeyTaken(error);
      const other = isRefusal(error)
        ? await keep(outcomes.ofFault(error))
        : isTaken || error instanceof Fault
          ? await settle(port.find(key))
          : undefined;
      if (other) return replayed(ticket, other);
      throw isTaken ? inProgress() : error;
    }
  };
}

/** @throws {Fault} `idempotency_key_reused` */
const replayed = ({ fingerprint, earlierFingerprint }: Ticket, stored: Stored): Outcome => {
  if (stored.fingerprint !== fingerprint && stored.fingerprint !== earlierFingerprint)
    throw new Fault('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
  const { answer } = stored;
  return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
};

/** Libraries do not import the store; its errors are recognised by name. */
const isKeyTaken = (error: unknown): boolean => error instanceof Error && error.name === 'IdempotencyKeyTaken';

/** Whether the answer is final: neither an internal failure nor an answer with Retry-After. */
const isRefusal = (error: unknown): error is Fault =>
  error instanceof Fault && error.http < 500 && error.headers['Retry-After'] === undefined;

const inProgress = () =>
  new Fault(
    'idempotency_in_progress',
    'Another request with this Idempotency-Key was first, and its answer cannot be read.',
    { 'Retry-After': '1' },
  );
