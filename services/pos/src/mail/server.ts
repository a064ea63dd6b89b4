import { join } from 'node:path';
import { dataDirectory, directory, flag, type Setting, type Settings, secret, text } from '@boxoffice/runtime';
import { createTransport, type SendMailOptions } from 'nodemailer';

export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps`); otherwise STARTTLS if the server offers it. */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

export interface Mailbox {
  /** Empty: no name. */
  readonly name: string;
  readonly address: string;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** A malformed escape stays as it is written. */
const decodeOrKeep = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const parseServer = (given: string): MailServer | undefined => {
  if (!URL.canParse(given)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search } = new URL(given);
  const standard = PORTS[protocol];
  if (standard === undefined || hostname === '' || search !== '' || !['', '/'].includes(pathname)) return undefined;
  const [user, pass] = [decodeOrKeep(username), decodeOrKeep(password)];
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? standard : Number(port),
    secure: protocol === 'smtps:',
    ...(user === '' ? {} : { auth: { user, pass } }),
  };
};

const FORM = 'an address like smtp://user:password@host:587 or smtps://host';

const givenServer = secret('MAIL_URL', { optional: true });

const mailServer: Setting<MailServer | undefined> = {
  name: givenServer.name,
  read(env) {
    const given = givenServer.read(env);
    if (given === undefined) return undefined;
    const server = parseServer(given.trim());
    if (!server) throw new Error(`expected ${FORM}, got another value (not shown)`);
    return server;
  },
};

const MAILBOX = /^(?:([^<>@"\p{Cc}]*)<([^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+)>|([^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+))$/u;

const givenFrom = text('MAIL_FROM', { optional: true, pattern: MAILBOX, expected: 'an address, or Name <address>' });

/** Without a name that of the point of sale is used. */
const mailFrom: Setting<Mailbox | undefined> = {
  name: givenFrom.name,
  read(env) {
    const [, name = '', named, bare] = MAILBOX.exec(givenFrom.read(env) ?? '') ?? [];
    const address = named ?? bare;
    return address === undefined ? undefined : { name: name.trim(), address };
  },
};

/** The mailbox of the setting, else one at the host of the point of sale; named after it. */
export function resolveSender(
  from: Mailbox | undefined,
  { name, serviceHost }: { readonly name: string; readonly serviceHost: string },
): Mailbox {
  return { name: from?.name || name, address: from?.address ?? `tickets@${serviceHost.replace(/:\d+$/, '')}` };
}

const demoData = flag('BOXOFFICE_DEMO', { default: false });

interface KeptMails {
  readonly folder: string;
  /** Otherwise those of the demo data alone. */
  readonly ofAll: boolean;
}

/** Where mails are kept if MAIL_URL is unset. */
const demoMails: Setting<KeptMails | undefined> = {
  name: demoData.name,
  read: (env) =>
    demoData.read(env) ? { folder: getDemoMailsFolder(dataDirectory.read(env)), ofAll: false } : undefined,
};

export function getDemoMailsFolder(dataDirectory: string): string {
  return join(dataDirectory, 'mails');
}

export const mailSettings = {
  mailServer,
  mailFrom,
  /** A folder with an institution's own texts. */
  mailTemplates: directory('MAIL_TEMPLATES', { optional: true }),
  demoMails,
};

/** `demoMails` is read at each use: `npm start` knows only after the seeding whether there are demo data. */
export type MailSettings = Settings<typeof mailSettings>;

export type OutgoingMail = Pick<
  SendMailOptions,
  'from' | 'to' | 'subject' | 'text' | 'html' | 'messageId' | 'date' | 'headers' | 'attachments'
>;

/**
 * `refused`: this mail will never be taken; `later`: not now; `sender_refused`: none of this sender now; `unreachable`:
 * none at all now. `reason` is a code for the record, `details` what the server said, for the log.
 */
export type Sent =
  | { readonly outcome: 'sent' }
  | {
      readonly outcome: 'refused' | 'later' | 'sender_refused' | 'unreachable';
      readonly reason: string;
      readonly details: string;
    };

/** Never rejects; an aborted `signal` ends the attempt. */
export type Transport = (mail: OutgoingMail, signal: AbortSignal) => Promise<Sent>;

interface Failure {
  readonly code?: string;
  readonly command?: string;
  readonly responseCode?: number;
  readonly timeoutType?: string;
  readonly message: string;
}

/** A reply to MAIL FROM that is about the declared size (RFC 1870, 6.2). */
const TOO_LARGE = 552;

const TIMEOUTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000 } as const;

/** No file and no address is read to compose a message, no program is named. */
export const COMPOSING = { disableFileAccess: true, disableUrlAccess: true, xMailer: false } as const;

/**
 * Each mail on a connection of its own, so that a slow one delays no other. STARTTLS is used where it is offered, and
 * demanded where a password would be sent; the certificate is always checked.
 */
export function createSmtp(
  { auth, ...server }: MailServer,
  { idleMs = 30_000 }: { readonly idleMs?: number } = {},
): Transport {
  const secrets = auth ? { auth, requireTLS: !server.secure } : {};
  const transport = createTransport({ ...server, ...secrets, ...TIMEOUTS, socketTimeout: idleMs, ...COMPOSING });
  return async (mail, signal) => {
    try {
      await transport.sendMail({ ...mail, signal });
      return { outcome: 'sent' };
    } catch (error) {
      return toOutcome(error as Failure);
    }
  };
}

/** Decides by the command and its reply (RFC 5321, 4.2.1). */
const toOutcome = (error: Failure): Sent => {
  const { code = 'ESOCKET', command = 'CONN', responseCode, timeoutType, message } = error;
  const failure = { reason: responseCode === undefined ? code : String(responseCode), details: message };
  // The conversation had started, and may be slow because of this mail; or a reply ended it.
  const isEnded = code === 'ECONNECTION' && responseCode !== undefined;
  if (timeoutType === 'SOCKET_TIMEOUT' || code === 'EABORT' || isEnded) return { outcome: 'later', ...failure };
  const stage = responseCode === TOO_LARGE ? 'mail' : findStage(command);
  if (stage === 'server') return { outcome: 'unreachable', ...failure };
  // An address that the server cannot take: one of RFC 6531 without SMTPUTF8.
  if (responseCode === undefined && code === 'EENVELOPE') return { outcome: 'refused', ...failure };
  if (stage === 'sender') return { outcome: 'sender_refused', ...failure };
  return { outcome: responseCode !== undefined && responseCode >= 500 ? 'refused' : 'later', ...failure };
};

const findStage = (command: string): 'mail' | 'sender' | 'server' => {
  if (['RCPT TO', 'DATA', 'API'].includes(command)) return 'mail';
  return command === 'MAIL FROM' || command.startsWith('AUTH') ? 'sender' : 'server';
};
