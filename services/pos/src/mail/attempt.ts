import type { Logger } from '@boxoffice/runtime';
import type { MailDocument } from '../store.ts';
import type { Compose } from './compose.ts';
import type { Ended } from './outbox.ts';
import type { OutgoingMail, Sent, Transport } from './smtp.ts';

/** How an attempt ended; `erased`: its buyer was, so the mail is deleted; `unreachable`: the server takes none now. */
export type Attempted =
  | Exclude<Ended, { readonly outcome: 'paused' }>
  | { readonly outcome: 'erased' }
  | { readonly outcome: 'unreachable'; readonly reason: string };

export type Attempt = (mail: MailDocument, signal: AbortSignal) => Promise<Attempted>;

export interface AttemptDependencies {
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
