import { buffer } from 'node:stream/consumers';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Fixture } from '../fixture/fixture.ts';
import { PAID, type Shown, shopperOf } from '../fixture/shopper.ts';

/** A mail as a server received it. */
export interface Received {
  readonly from: string;
  readonly to: string;
  readonly smtpUtf8: boolean;
  readonly secure: boolean;
  readonly raw: string;
}

/** What a server replies to a recipient: nothing for a while, or this code. Undefined: it takes the mail. */
type Reply = (address: string) => number | Promise<void> | undefined;

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

/** What orders announces of an order, as `order.recorded`. */
export const announced = (fixture: Fixture, orderId: string, type: string, more: object = {}): object => {
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
};

/** A guest buys a place; the tickets are issued as electronic ones. Returns the order's id and the guest's contact. */
export const sell = async (fixture: Fixture, { email = 'ana.martin@example.org', itemCount = 1 } = {}) => {
  const { fill, buy, itemOf } = shopperOf(fixture);
  const { token, cartId } = await fill();
  for (let more = 1; more < itemCount; more += 1)
    await fixture.call<Shown>('POST', '/shopping-cart/items', { token, body: itemOf() });
  const contact = { firstName: 'Ana', lastName: 'Martin', email };
  const { data, text } = await buy(token, { contact, ...PAID });
  const order = fixture.orders.orders.get(String(data?.id ?? cartId));
  if (!order) throw new Error(text);
  order.ticketDelivery = 'electronic';
  fixture.tickets.print(order.id);
  fixture.contacts.known.set(String(order.contactNumber), {
    ...fixture.contacts.contact(String(order.contactNumber)),
    email,
  });
  const [line] = order.lines;
  if (!line) throw new Error('the order is empty');
  return { order, id: order.id, contactNumber: String(order.contactNumber), performanceId: line.performanceId };
};
