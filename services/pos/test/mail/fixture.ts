import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { type MailDocument, mailsCollection } from '../../src/store.ts';
import { type Fixture, type FixtureOptions, openFixture } from '../fixture/fixture.ts';
import { decodeShownContent } from '../fixture/others.ts';
import { createShopper, PAID } from '../fixture/shopper.ts';

/** A mail as a server received it. */
export interface Received {
  readonly from: string;
  readonly to: string;
  readonly smtpUtf8: boolean;
  readonly secure: boolean;
  readonly raw: string;
}

/** What a server replies to an address: nothing for a while, or this code. Undefined: it takes the mail. */
type Reply = (address: string) => number | Promise<void> | undefined;

/** Its replies to MAIL FROM, to RCPT TO, and to the content of a mail, by the recipient. */
interface Replies {
  replyToSender: Reply;
  reply: Reply;
  replyToContent: Reply;
}

/** A real SMTP server on a port of its own. */
export interface TestServer extends Replies {
  readonly port: number;
  readonly received: readonly Received[];
  /** Recipients that were named, refused ones too. */
  readonly named: readonly string[];
  /** Senders of all attempts, refused ones too. */
  readonly senders: readonly string[];
  close(): Promise<void>;
}

/** Starts a server; without options it takes everything, without TLS and passwords. */
export async function openSmtpServer(options: SMTPServerOptions = {}): Promise<TestServer> {
  const received: Received[] = [];
  const named: string[] = [];
  const senders: string[] = [];
  const take = (): undefined => undefined;
  const own: Replies = { replyToSender: take, reply: take, replyToContent: take };
  const answer = (reply: ReturnType<Reply>, done: (error?: Error) => void): void => {
    if (typeof reply === 'number') done(refusal(reply));
    else Promise.resolve(reply).then(() => done());
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    // Connections that a test leaves open.
    closeTimeout: 50,
    logger: false,
    onMailFrom({ address }, _session, done) {
      senders.push(address);
      answer(own.replyToSender(address), done);
    },
    onRcptTo({ address }, _session, done) {
      named.push(address);
      answer(own.reply(address), done);
    },
    async onData(stream, { envelope, secure }, done) {
      const raw = (await buffer(stream)).toString('utf8');
      const { mailFrom, rcptTo, smtpUtf8 = false } = envelope;
      const from = mailFrom ? mailFrom.address : '';
      const to = rcptTo.map(({ address }) => address).join();
      const reply = own.replyToContent(to);
      if (typeof reply !== 'number') received.push({ from, to, smtpUtf8, secure, raw });
      answer(reply, done);
    },
    ...options,
  });
  // Connections that a test breaks off.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.server.address();
  return Object.assign(own, {
    port: typeof address === 'object' && address ? address.port : 0,
    received,
    named,
    senders,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}

const refusal = (code: number): Error => Object.assign(new Error(`planted ${code}`), { responseCode: code });

/** The setting of a server. */
export function toMailServer({ port }: Pick<TestServer, 'port'>) {
  return { host: '127.0.0.1', port, secure: false };
}

/** The headers of a mail, unfolded. */
export function readHeaders({ raw }: Received): string {
  return raw.split('\r\n\r\n', 1)[0]?.replaceAll(/\r\n[ \t]+/g, ' ') ?? '';
}

/** The text part: nodemailer writes it first, as quoted-printable where it has to. */
export function readText(mail: Received): string {
  return partOf(mail, 'text/plain');
}

const partOf = ({ raw }: Received, type: string): string => {
  const part = new RegExp(`Content-Type: ${type}([\\s\\S]*?)\\r\\n\\r\\n([\\s\\S]*?)\\r\\n--`);
  const [, head = '', body = ''] = part.exec(raw) ?? [];
  return decoded(head, body);
};

const decoded = (head: string, body: string): string => {
  if (/base64/i.test(head)) return Buffer.from(body, 'base64').toString();
  if (!/quoted-printable/i.test(head)) return body;
  const bytes = body
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
};

export function readHtml(mail: Received): string {
  return partOf(mail, 'text/html');
}

/** What the attached PDF was asked to show. */
export function readDocument({ raw }: Received) {
  return decodeShownContent(/filename=\w+\.pdf\r\n\r\n([\w+/=\r\n]+?)\r\n--/.exec(raw)?.[1]);
}

/** The address of the order that a mail leads to. */
export function readLink(mail: Received): string {
  return /^https:\/\/tickets\.example\/shop\/\S+#\S+$/m.exec(readText(mail))?.[0] ?? '';
}

/** The attached calendar files, and the method that the type of each says. */
export function readCalendars({ raw }: Received) {
  return [...raw.matchAll(/Content-Type: text\/calendar;([\s\S]*?)\r\n\r\n([\w+/=\r\n]+?)\r\n--/g)].map(
    ([, head = '', body = '']) => ({
      method: /method=(\w+)/.exec(head)?.[1],
      text: Buffer.from(body, 'base64').toString().replaceAll(/\r\n /g, ''),
    }),
  );
}

/** Delivers what orders announces of an order. */
export function announce(fixture: Fixture, orderId: string, type: string, more: object = {}): Promise<void> {
  return fixture.deliver('order.recorded', createAnnouncement(fixture, orderId, type, more));
}

/** What orders announces of an order, as `order.recorded`. */
export function createAnnouncement(fixture: Fixture, orderId: string, type: string, more: object = {}): object {
  const order = fixture.orders.orders.get(orderId);
  if (!order) throw new Error(`there is no order ${orderId}`);
  const { contactNumber, pointOfSale } = order;
  const at = new Date().toISOString();
  const data = { contactNumber, confirmedAt: at, cancellation: { requestedAt: at } };
  return {
    event: {
      type,
      resource: { type: 'order', id: orderId },
      data,
      belongsTo: { clientIds: [], pointOfSale },
      version: 4,
      position: 40,
      before: null,
      ...more,
    },
  };
}

/** A guest buys a place; the tickets are issued as electronic ones. Returns the order's id and the guest's contact. */
export async function sell(
  fixture: Fixture,
  { email = 'ana.martin@example.org', itemCount = 1, first = {} as object } = {},
) {
  const { fill, buy } = createShopper(fixture);
  const { token, cartId } = await fill(undefined, first);
  for (let more = 1; more < itemCount; more += 1) await fill(token);
  const contact = { firstName: 'Ana', lastName: 'Martin', email };
  const { data, text } = await buy(token, { contact, ...PAID });
  const order = fixture.orders.orders.get(String(data?.id ?? cartId));
  if (!order) throw new Error(text);
  order.ticketDelivery = 'electronic';
  fixture.tickets.print(order.id);
  const { contactNumber } = fixture.contacts.contact(String(order.contactNumber), { email });
  return { order, id: order.id, contactNumber, performanceId: String(order.lines[0]?.performanceId) };
}

/** Ends the pause of the mails about moves, and returns them. */
export async function endPauses({ store }: Fixture): Promise<readonly MailDocument[]> {
  const all = store.collection(mailsCollection).of('opera');
  const mails = await all.find({ where: { state: 'waiting', kind: 'moved' } });
  for (const { id } of mails) await all.update(id, (mail) => ({ next: mail, due: { sendToMany: Date.now() } }));
  return mails;
}

/** The service with a mail server of its own. */
export async function openMailing(options: FixtureOptions = {}) {
  const server = await openSmtpServer();
  const fixture = await openFixture({ mailServer: toMailServer(server), ...options });
  const close = async (): Promise<void> => {
    await fixture.close();
    await server.close();
  };
  return { ...fixture, server, close };
}
