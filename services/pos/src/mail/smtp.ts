import { createTransport, type SendMailOptions } from 'nodemailer';
import type { MailServer } from './settings.ts';

/** A mail as it is handed over. */
export type OutgoingMail = Pick<
  SendMailOptions,
  'from' | 'to' | 'subject' | 'text' | 'html' | 'messageId' | 'date' | 'headers' | 'attachments'
>;

/**
 * How an attempt ended. `refused`: this mail will never be taken; `later`: not now; `unreachable`: the server takes no
 * mail at all now. `reason` is a code for the record, `details` what the server said, for the log.
 */
export type Sent =
  | { readonly outcome: 'sent' }
  | { readonly outcome: 'refused' | 'later' | 'unreachable'; readonly reason: string; readonly details: string };

/** Hands a mail over, or keeps it. Never rejects; an aborted `signal` ends the attempt. */
export type Transport = (mail: OutgoingMail, signal: AbortSignal) => Promise<Sent>;

/** What nodemailer says of a failure. */
interface Failure {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  /** Which of its timeouts. */
  readonly timeoutType?: string;
  readonly message: string;
}

/** The commands whose reply is about this mail; others are about the connection or the account. */
const ABOUT_MAIL = ['RCPT TO', 'DATA', 'API'];

const SERVICE_CLOSING = 421;

/** Tells by the reply (RFC 5321, 4.2.1) whose fault a failure is, and whether it lasts. */
export const sentOf = (error: Failure): Sent => {
  const { code = 'ESOCKET', command = 'CONN', responseCode, timeoutType, message } = error;
  const reason = responseCode === undefined ? code : String(responseCode);
  const failure = { reason, details: message };
  // The conversation had begun, and may be slow because of this mail; or it took too long in all.
  if (timeoutType === 'SOCKET_TIMEOUT' || code === 'EABORT') return { outcome: 'later', ...failure };
  if (responseCode === SERVICE_CLOSING || !ABOUT_MAIL.includes(command)) return { outcome: 'unreachable', ...failure };
  // An address that the server cannot take: one of RFC 6531 without SMTPUTF8.
  if (responseCode === undefined) return { outcome: code === 'EENVELOPE' ? 'refused' : 'later', ...failure };
  return { outcome: responseCode >= 500 ? 'refused' : 'later', ...failure };
};

/** Milliseconds for each step of a conversation. */
const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000 } as const;

/** The options of every message: no file and no address is read to compose it, no program is named. */
export const COMPOSING = { disableFileAccess: true, disableUrlAccess: true, xMailer: false } as const;

/**
 * Hands mails to an SMTP server, each on a connection of its own, so that a slow mail delays no other. STARTTLS is used
 * where it is offered, and demanded where a password would be sent; the certificate is always checked.
 */
export const createSmtp = (
  { auth, ...server }: MailServer,
  { idleMs = 30_000 }: { readonly idleMs?: number } = {},
): Transport => {
  const secrets = auth ? { auth, requireTLS: !server.secure } : {};
  const transport = createTransport({ ...server, ...secrets, ...TIMEOUTS, socketTimeout: idleMs, ...COMPOSING });
  return async (mail, signal) => {
    try {
      await transport.sendMail({ ...mail, signal });
      return { outcome: 'sent' };
    } catch (error) {
      return sentOf(error as Failure);
    }
  };
};
