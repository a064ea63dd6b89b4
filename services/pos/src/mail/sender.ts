import { type Interval, type Logger, repeat, within } from '@boxoffice/runtime';
import type { MailDocument } from '../store.ts';
import type { Compose } from './compose.ts';
import type { Ended, Outbox } from './outbox.ts';
import { createRefusedSenders } from './refused-senders.ts';
import type { OutgoingMail, Sent, Transport } from './server.ts';

/**
 * How an attempt ended; `erased`: its buyer was, so the mail is deleted; `sender_refused`: the server takes none of its
 * point of sale now; `unreachable`: it takes none at all.
 */
export type Attempted =
  | Exclude<Ended, { readonly outcome: 'paused' }>
  | { readonly outcome: 'erased' }
  | { readonly outcome: 'sender_refused'; readonly reason: string }
  | { readonly outcome: 'unreachable'; readonly reason: string };

type Attempt = (mail: MailDocument, signal: AbortSignal) => Promise<Attempted>;

interface AttemptDependencies {
  readonly compose: Compose;
  /** Where the mails of a point of sale go; undefined: nowhere. */
  readonly transportOf: (pointOfSale: { readonly demo: boolean }) => Transport | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Addresses are masked in the log, and not in the record. */
const logged = ({ institution, id }: MailDocument, sent: Sent) => ({
  event: `audit.mail_${sent.outcome}`,
  institution,
  id,
  ...(sent.outcome === 'sent' ? {} : { code: sent.reason, reason: sent.details }),
});

/** Creates the attempt to send one mail: composes it of what is true now, and hands it over. Never rejects. */
export const createAttempt = ({ compose, transportOf, logger }: AttemptDependencies): Attempt => {
  const send = async (
    mail: MailDocument,
    outgoing: OutgoingMail,
    transport: Transport,
    signal: AbortSignal,
  ): Promise<Attempted> => {
    const sent = await transport(outgoing, signal);
    if (sent.outcome === 'sent') {
      logger.info('mail sent', logged(mail, sent));
      return sent;
    }
    logger.warn('mail not sent', logged(mail, sent));
    const { outcome, reason } = sent;
    return { outcome: outcome === 'refused' ? 'failed' : outcome, reason } as Attempted;
  };

  return async (mail, signal) => {
    try {
      const composed = await compose(mail);
      if (composed.state === 'erased') return { outcome: 'erased' };
      if (composed.state === 'dropped') return { outcome: 'dropped', reason: composed.reason };
      if (composed.state === 'incomplete') return { outcome: 'later', reason: composed.reason };
      const transport = transportOf(composed.pointOfSale);
      if (!transport) return { outcome: 'dropped', reason: 'no_server' };
      signal.throwIfAborted();
      return await send(mail, composed.mail, transport, signal);
    } catch (error) {
      const { institution, id } = mail;
      logger.warn('a mail could not be written', { institution, id, error });
      return { outcome: 'later', reason: 'unavailable' };
    }
  };
};

const LONGEST_PAUSE_MS = 60_000;

/** Milliseconds for which nothing is sent after the server was not reached, by the number of failures in a row. */
const pauseAfter = (failures: number): number => Math.min(1_000 * 2 ** (failures - 1), LONGEST_PAUSE_MS);

/** Mails that an instance sends at once: a slow one holds up one of them. */
const SLOTS = 8;
/** Of these, how many may be of those that are written to many. */
const BULK_SLOTS = 6;
/** How many of them one institution may have when another is claimed for it, so that it holds up no other one. */
export const INSTITUTION_SLOTS = 4;
const INSTITUTION_BULK_SLOTS = 3;
/** An attempt is ended after this time, well before its lease. Milliseconds. */
const ATTEMPT_MS = 120_000;
/** How often an instance looks for mails that are due, in milliseconds; new ones of its own are seen at once. */
const POLL_MS = 2_000;
/** How long a stop waits for attempts under way before it ends them. */
const CLOSING_MS = 3_000;

interface SenderDependencies {
  readonly outbox: Pick<Outbox, 'claim' | 'waitsUntil' | 'end' | 'delete'>;
  readonly attempt: Attempt;
  /** Whether mails go anywhere; otherwise the store is not asked. */
  readonly isOn: () => boolean;
  readonly ended: (mail: MailDocument, attempted: Attempted) => void;
  readonly logger: Pick<Logger, 'warn'>;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly pollMs?: number;
  readonly attemptMs?: number;
}

/**
 * Sends what is due, some mails at once. Every instance does: a mail belongs to the one that claimed it, until its lease
 * ends. After a crash it is sent again, so a mail comes at least once. While the server cannot be reached nothing is
 * sent, for at most a minute at a time; while it refuses the sender of a point of sale, the mails of that one wait.
 */
export const createSender = (its: SenderDependencies) => {
  const { outbox, logger, now, pollMs = POLL_MS, attemptMs = ATTEMPT_MS } = its;
  const closing = new AbortController();
  const refusedSenders = createRefusedSenders(now);
  const underWay = new Map<Promise<void>, MailDocument>();
  let failures = 0;
  let pausedUntil = 0;
  let isClosed = false;
  let polling: Interval | undefined;
  let running: Promise<void> | undefined;
  let isWanted = false;

  const settle = async (mail: MailDocument, attempted: Attempted): Promise<void> => {
    if (attempted.outcome === 'unreachable') {
      refusedSenders.undecided(mail);
      failures += 1;
      pausedUntil = now() + pauseAfter(failures);
      return outbox.end(mail, { ...attempted, outcome: 'paused', until: pausedUntil });
    }
    const isAnswer = attempted.outcome === 'sent' || /^\d{3}$/.test('reason' in attempted ? attempted.reason : '');
    if (isAnswer) failures = 0;
    if (attempted.outcome === 'sender_refused') {
      const { institution, pointOfSale } = mail;
      const { reason } = attempted;
      const until = refusedSenders.refused(mail, reason);
      logger.warn('the mail server refuses the sender of a point of sale', {
        institution,
        part: pointOfSale,
        code: reason,
      });
      return outbox.end(mail, { outcome: 'paused', reason, until });
    }
    if (isAnswer) refusedSenders.accepted(mail);
    else refusedSenders.undecided(mail);
    if (attempted.outcome === 'erased') return void (await outbox.delete(mail));
    return outbox.end(mail, attempted);
  };

  /** Attempts a mail, unless it has to wait for its sender or an earlier mail. */
  const work = async (mail: MailDocument): Promise<void> => {
    const isBehind = await outbox.waitsUntil(mail);
    const until = isBehind ?? refusedSenders.waitsUntil(mail);
    if (until !== undefined) {
      const reason = isBehind === undefined ? 'sender_refused' : 'behind';
      return outbox.end(mail, { outcome: 'paused', reason, until });
    }
    const attempted = await its.attempt(mail, AbortSignal.any([closing.signal, AbortSignal.timeout(attemptMs)]));
    // What a stop has ended is tried again by whoever comes first.
    const isCut = closing.signal.aborted && attempted.outcome === 'later';
    await (isCut ? outbox.end(mail, { outcome: 'paused', reason: 'stopped', until: now() }) : settle(mail, attempted));
    its.ended(mail, attempted);
  };

  const begin = (mail: MailDocument): void => {
    const working = work(mail)
      // Its lease ends, and it is sent again.
      .catch((error: unknown) => logger.warn('the end of a mail could not be recorded', { id: mail.id, error }))
      .finally(() => {
        underWay.delete(working);
        wake();
      });
    underWay.set(working, mail);
  };

  /**
   * How many mails may be claimed now, and of which institution none, since it has its share; the first one after a
   * failure tries whether the server is back.
   */
  const room = (bulk: boolean): { readonly limit: number; readonly except?: string } => {
    const mails = [...underWay.values()];
    const free = (failures > 0 ? 1 : SLOTS) - mails.length;
    const most = bulk ? Math.min(free, BULK_SLOTS - mails.filter((mail) => mail.bulk).length) : free;
    const share = bulk ? INSTITUTION_BULK_SLOTS : INSTITUTION_SLOTS;
    const counts = new Map(
      [...Map.groupBy(mails, ({ institution }) => institution)].map(([id, of]) => [id, of.length]),
    );
    const full = [...counts].filter(([, count]) => count >= share).map(([institution]) => institution);
    const [except] = full;
    // A claim can leave out one of them: with more, mails to many wait for a moment.
    if (full.length > 1) return { limit: 0 };
    const others = [...counts].filter(([institution]) => institution !== except).map(([, count]) => count);
    const limit = Math.max(0, Math.min(most, share - Math.max(0, ...others)));
    return except === undefined ? { limit } : { limit, except };
  };

  const take = async (): Promise<void> => {
    for (const bulk of [false, true]) {
      const { limit, except } = room(bulk);
      if (limit === 0 || isClosed || now() < pausedUntil) continue;
      const claimed = await outbox.claim(bulk, limit, except);
      // A stop leaves claimed ones to the end of their lease only if it comes here.
      for (const mail of claimed) begin(mail);
      if (claimed.length === limit) isWanted = true;
    }
  };

  const run = async (): Promise<void> => {
    while (isWanted && !isClosed && its.isOn()) {
      isWanted = false;
      try {
        await take();
      } catch (error) {
        logger.warn('due mails could not be read', { error });
        return;
      }
    }
  };

  const wake = (): void => {
    isWanted = true;
    if (isClosed) return;
    running ??= run().finally(() => {
      running = undefined;
    });
  };

  return {
    start(): void {
      const failed = (error: unknown) => logger.warn('due mails could not be read', { error });
      polling ??= repeat(async () => wake(), { everyMs: pollMs, failed });
    },
    /** A mail was added. */
    wake,
    /** The points of sale whose sender the server refuses, as this process knows it. */
    refusedSenders: refusedSenders.list,
    /** Takes no more mails; ends those under way after a moment. */
    async close(): Promise<void> {
      isClosed = true;
      await polling?.close();
      await running;
      const attempts = Promise.all(underWay.keys());
      await within(attempts, CLOSING_MS, () => closing.abort());
      await attempts;
    },
  };
};

export type Sender = ReturnType<typeof createSender>;
