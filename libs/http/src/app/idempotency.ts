import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Fault } from '@boxoffice/envelope';
import type { Logger } from '@boxoffice/runtime';
import type { Outcome, Outcomes } from '../answers/outcome.ts';
import type { Answer, IdempotencyRecord } from '../operation.ts';
import { canonicaliseJson } from '../requests/body.ts';
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../shape.ts';

const IDEMPOTENCY_RETENTION_MS = 24 * 60 * 60 * 1000;

interface Stored {
  readonly fingerprint: string;
  readonly answer: Outcome;
}

/** Where answers are stored (structurally the store's `Idempotency`, whose port documents each method). */
export interface IdempotencyPort {
  find(key: string): Promise<Stored | undefined>;
  remember(request: Pick<Ticket, 'key' | 'fingerprint' | 'expiresAt'>, answer: Outcome): Promise<Stored | undefined>;
  trim(subject: string, most: number): Promise<void>;
}

/** Stored answers of one session: the newest ones stay. */
export const MOST_ANSWERS_PER_SESSION = 500;

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

export const rememberNothing: Remember = () => undefined;

interface Sender {
  readonly scope: string;
  /** What bounds the data that the caller sees, as a text; empty if nothing does. */
  readonly restriction: string;
  readonly session?: string | undefined;
}

/** The key is stored as a hash, separate from other callers' keys. */
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
  // No header takes part (in release 0.3 If-Match did). Under another restriction a stored answer may show too much.
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

/** Without a lock: of two requests at once, the second's write meets the record of the first. A 5xx is not stored. */
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
    if (first) return replay(ticket, first);
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
      return earlier ? replay(ticket, earlier) : outcome;
    } catch (error) {
      // What failed, or was refused, may have met the effect of another request with the key.
      const isTaken = isKeyTaken(error);
      const other = isRefusal(error)
        ? await keep(outcomes.ofFault(error))
        : isTaken || error instanceof Fault
          ? await settle(port.find(key))
          : undefined;
      if (other) return replay(ticket, other);
      throw isTaken ? inProgress() : error;
    }
  };
}

/** @throws {Fault} `idempotency_key_reused` */
const replay = ({ fingerprint, earlierFingerprint }: Ticket, stored: Stored): Outcome => {
  if (stored.fingerprint !== fingerprint && stored.fingerprint !== earlierFingerprint)
    throw new Fault('idempotency_key_reused', 'This Idempotency-Key was used for a different request.');
  const { answer } = stored;
  return { ...answer, headers: { ...answer.headers, 'Idempotency-Replayed': 'true' } };
};

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
