import { join } from 'node:path';
import { dataDirectory, directory, flag, type Setting, SettingsFault, secret, text } from '@boxoffice/runtime';

/** The server that mails are handed to. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps`); otherwise STARTTLS if the server offers it. */
  readonly secure: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

/** A sender or receiver. */
export interface Mailbox {
  /** Empty: none. */
  readonly name: string;
  readonly address: string;
}

const PORTS: Readonly<Record<string, number>> = { 'smtp:': 587, 'smtps:': 465 };

/** A malformed escape stays as it is written. */
const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

const serverOf = (given: string): MailServer | undefined => {
  if (!URL.canParse(given)) return undefined;
  const { protocol, hostname, port, username, password, pathname, search } = new URL(given);
  const standard = PORTS[protocol];
  if (standard === undefined || hostname === '' || search !== '' || !['', '/'].includes(pathname)) return undefined;
  const [user, pass] = [decoded(username), decoded(password)];
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? standard : Number(port),
    secure: protocol === 'smtps:',
    ...(user === '' ? {} : { auth: { user, pass } }),
  };
};

const FORM = 'an address like smtp://user:password@host:587 or smtps://host';

const givenServer = secret('MAIL_URL', { optional: true });

/** MAIL_URL. */
const mailServer: Setting<MailServer | undefined> = {
  name: givenServer.name,
  read(env) {
    const given = givenServer.read(env);
    if (given === undefined) return undefined;
    const server = serverOf(given.trim());
    if (!server) throw new Error(`expected ${FORM}, got another value (not shown)`);
    return server;
  },
};

const MAILBOX = /^(?:([^<>@"\p{Cc}]*)<([^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+)>|([^\s<>@\p{Cc}]+@[^\s<>@\p{Cc}]+))$/u;

const givenFrom = text('MAIL_FROM', { optional: true, pattern: MAILBOX, expected: 'an address, or Name <address>' });

/** MAIL_FROM; without a name that of the point of sale is used. */
const mailFrom: Setting<Mailbox | undefined> = {
  name: givenFrom.name,
  read(env) {
    const [, name = '', named, bare] = MAILBOX.exec(givenFrom.read(env) ?? '') ?? [];
    const address = named ?? bare;
    return address === undefined ? undefined : { name: name.trim(), address };
  },
};

const demoData = flag('BOXOFFICE_DEMO', { default: false });

/** Where the mails of the demo data are kept if MAIL_URL is unset: only with BOXOFFICE_DEMO. */
const demoMails: Setting<string | undefined> = {
  name: demoData.name,
  read(env) {
    try {
      return demoData.read(env) ? demoMailsIn(dataDirectory.read(env)) : undefined;
    } catch (error) {
      throw new SettingsFault([`${demoData.name}: ${(error as Error).message}`]);
    }
  },
};

/** The folder of the demo's mails in a data directory. */
export const demoMailsIn = (dataDirectory: string): string => join(dataDirectory, 'mails');

/** The settings of mails. */
export const mailSettings = {
  mailServer,
  mailFrom,
  /** A folder with an institution's own texts. */
  mailTemplates: directory('MAIL_TEMPLATES', { optional: true }),
  demoMails,
};

/** Their values. `demoMails` is read at each use: `npm start` knows only after the seeding whether there are demo data. */
export interface MailSettings {
  readonly mailServer: MailServer | undefined;
  readonly mailFrom: Mailbox | undefined;
  readonly mailTemplates: string | undefined;
  readonly demoMails: string | undefined;
}
