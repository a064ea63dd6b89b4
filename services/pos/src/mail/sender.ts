import type { Logger } from '@boxoffice/runtime';
import type { Claim, WorkKind, WorkResult } from '@boxoffice/service';
import type { MailDocument } from '../store.ts';
import type { Compose } from './compose.ts';
import { dropMail, type Ended, MAIL_RETRIES, type Outbox } from './outbox.ts';
import { createRefusedSenders } from './refused-senders.ts';
import type { OutgoingMail, Sent, Transport } from './server.ts';

/** `erased`: the mail is deleted with its buyer; `sender_refused`, `unreachable`: see {@link Sent}. */
export type Attempted =
  | Exclude<Ended, { readonly outcome: 'paused' }>
  | { readonly outcome: 'erased' }
  | { readonly outcome: 'sender_refused'; readonly reason: string }
  | { readonly outcome: 'unreachable'; readonly reason: string };

type Attempt = (mail: MailDocument, signal: AbortSignal) => Promise<Attempted>;

interface AttemptDependencies {
  readonly compose: Compose;
  /** Undefined: the mails of this point of sale go nowhere. */
  readonly transportOf: (pointOfSale: { readonly demo: boolean }) => Transport | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/** Composes the mail of what is true now, and hands it over. Never rejects. */
export function createAttempt({ compose, transportOf, logger }: AttemptDependencies): Attempt {
  const send = async (
    mail: MailDocument,
    outgoing: OutgoingMail,
    transport: Transport,
    signal: AbortSignal,
  ): Promise<Attempted> => {
    const sent = await transport(outgoing, signal);
    if (sent.outcome === 'sent') {
      logger.info('mail sent', toLogEntry(mail, sent));
      return sent;
    }
    logger.warn('mail not sent', toLogEntry(mail, sent));
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
}

/** Addresses are masked in the log, and not in the record. */
const toLogEntry = ({ institution, id }: MailDocument, sent: Sent) => ({
  event: `audit.mail_${sent.outcome}`,
  institution,
  id,
  ...(sent.outcome === 'sent' ? {} : { code: sent.reason, reason: sent.details }),
});

const LONGEST_PAUSE_MS = 60_000;

/** A slow mail holds up one slot only. */
const SLOTS = 8;
/** How many of them mails written to many may have. */
const BULK_SLOTS = 6;
/** How many one institution may have while another one waits. */
export const INSTITUTION_SLOTS = 4;
const INSTITUTION_BULK_SLOTS = 3;
/** Milliseconds, well below the claim. */
const ATTEMPT_MS = 120_000;
/** Milliseconds, longer than any attempt. */
export const CLAIM_MS = 300_000;

interface SenderDependencies {
  readonly outbox: Pick<Outbox, 'waitsUntil' | 'end' | 'delete'>;
  readonly attempt: Attempt;
  /** The store is asked only if mails go anywhere. */
  readonly isOn: () => boolean;
  readonly ended: (mail: MailDocument, attempted: Attempted) => void;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now: () => number;
}

/**
 * After a crash a mail is sent again, so it comes at least once. While the server cannot be reached nothing is sent,
 * for at most a minute at a time; while it refuses the sender of a point of sale, the mails of that one wait.
 */
export function createSender(its: SenderDependencies) {
  const { outbox, logger, now } = its;
  const refusedSenders = createRefusedSenders(now);
  let failures = 0;
  let pausedUntil = 0;

  const settle = async (mail: MailDocument, attempted: Attempted): Promise<void> => {
    if (attempted.outcome === 'unreachable') {
      refusedSenders.recordNoOutcome(mail);
      failures += 1;
      pausedUntil = now() + pauseAfter(failures);
      return outbox.end(mail, { ...attempted, outcome: 'paused', until: pausedUntil });
    }
    const isAnswer = attempted.outcome === 'sent' || /^\d{3}$/.test('reason' in attempted ? attempted.reason : '');
    if (isAnswer) failures = 0;
    if (attempted.outcome === 'sender_refused') {
      const { institution, pointOfSale } = mail;
      const { reason } = attempted;
      const until = refusedSenders.recordRefusal(mail, reason);
      logger.warn('the mail server refuses the sender of a point of sale', {
        institution,
        part: pointOfSale,
        code: reason,
      });
      return outbox.end(mail, { outcome: 'paused', reason, until });
    }
    if (isAnswer) refusedSenders.recordAcceptance(mail);
    else refusedSenders.recordNoOutcome(mail);
    if (attempted.outcome === 'erased') return void (await outbox.delete(mail));
    return outbox.end(mail, attempted);
  };

  return {
    /** The first mail after a failure tries whether the server is back. */
    slots(): number {
      if (!its.isOn() || now() < pausedUntil) return 0;
      return failures > 0 ? 1 : SLOTS;
    },
    async send(mail: MailDocument, { signal }: Pick<Claim, 'signal'>): Promise<WorkResult> {
      const isBehind = await outbox.waitsUntil(mail);
      const until = isBehind ?? refusedSenders.waitsUntil(mail);
      if (until !== undefined) {
        const reason = isBehind === undefined ? 'sender_refused' : 'behind';
        await outbox.end(mail, { outcome: 'paused', reason, until });
        return 'recorded';
      }
      const attempted = await its.attempt(mail, AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]));
      // A stop has ended the attempt, so the mail is due at once.
      const isCut = signal.aborted && attempted.outcome === 'later';
      if (isCut) await outbox.end(mail, { outcome: 'paused', reason: 'stopped', until: now() });
      else await settle(mail, attempted);
      its.ended(mail, attempted);
      return 'recorded';
    },
    refusedSenders: refusedSenders.list,
  };
}

/** Milliseconds, by the number of failures in a row. */
const pauseAfter = (failures: number): number => Math.min(1_000 * 2 ** (failures - 1), LONGEST_PAUSE_MS);

export type Sender = ReturnType<typeof createSender>;

interface WithSender {
  readonly mail: { readonly sender: Pick<Sender, 'send' | 'slots'> };
}

const sending: WorkKind<WithSender> = {
  handle: ({ mail: { sender } }, mail: MailDocument, claim) => sender.send(mail, claim),
  retries: MAIL_RETRIES,
  claimMs: CLAIM_MS,
  slots: ({ mail: { sender } }) => sender.slots(),
  institutionSlots: INSTITUTION_SLOTS,
  dropped: (mail: MailDocument, now) => dropMail(mail, now),
};

export const mailWork = {
  send: sending,
  sendToMany: {
    ...sending,
    slots: ({ mail: { sender } }: WithSender) => Math.min(BULK_SLOTS, sender.slots()),
    institutionSlots: INSTITUTION_BULK_SLOTS,
  },
};
