import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as a server received it. */
export interface Received {
  readonly from: string;
  readonly to: string;
  readonly smtpUtf8: boolean;
  readonly secure: boolean;
  readonly raw: string;
}

/** What a server replies to a recipient: nothing for a while, or this code. Undefined: it takes the mail. */
export type Reply = (address: string) => number | Promise<void> | undefined;

/** A real SMTP server on a port of its own. */
export interface TestServer {
  readonly port: number;
  readonly received: readonly Received[];
  /** Recipients that were named, refused ones too. */
  readonly named: readonly string[];
  reply: Reply;
  close(): Promise<void>;
}

const refusal = (code: number): Error => Object.assign(new Error(`planted ${code}`), { responseCode: code });

/** Starts a server; without options it takes everything, without TLS and passwords. */
export const openSmtpServer = async (options: SMTPServerOptions = {}): Promise<TestServer> => {
  const received: Received[] = [];
  const named: string[] = [];
  const own: { reply: Reply } = { reply: () => undefined };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    // Connections that a test leaves open.
    closeTimeout: 50,
    logger: false,
    onRcptTo({ address }, _session, done) {
      named.push(address);
      const reply = own.reply(address);
      if (typeof reply === 'number') done(refusal(reply));
      else Promise.resolve(reply).then(() => done());
    },
    async onData(stream, { envelope, secure }, done) {
      const raw = (await buffer(stream)).toString('utf8');
      const { mailFrom, rcptTo, smtpUtf8 = false } = envelope;
      const from = mailFrom ? mailFrom.address : '';
      received.push({ from, to: rcptTo.map(({ address }) => address).join(), smtpUtf8, secure, raw });
      done();
    },
    ...options,
  });
  // Connections that a test breaks off.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    received,
    named,
    get reply() {
      return own.reply;
    },
    set reply(reply) {
      own.reply = reply;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};
