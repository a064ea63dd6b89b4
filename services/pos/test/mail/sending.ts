import { randomUUID } from 'node:crypto';
import { createLogger } from '@boxoffice/runtime';
import { startWork } from '@boxoffice/service';
import type { TestEngine } from '@boxoffice/service/testkit';
import type { DueWork } from '@boxoffice/store';
import type { SMTPServerOptions } from 'smtp-server';
import type { Compose } from '../../src/mail/compose.ts';
import { createOutbox, type NewMail } from '../../src/mail/outbox.ts';
import { CLAIM_MS, createAttempt, createSender, mailWork, type Sender } from '../../src/mail/sender.ts';
import { createSmtp, type MailServer } from '../../src/mail/server.ts';
import { type MailDocument, mailsCollection, selectMailWork } from '../../src/store.ts';
import { openSmtpServer } from './fixture.ts';

/** An instance that sends. */
type Instance = Pick<Sender, 'refusedSenders'> & { close(): Promise<void> };

/** When a mail is due. */
export function findDueWork(mail: MailDocument | undefined): DueWork | undefined {
  return mail?.due?.[selectMailWork(mail)];
}

/** An outbox, a server, and instances that send over the common store, on a clock of their own. */
export async function openSending(engine: TestEngine) {
  const open = await engine.open();
  const senders: Instance[] = [];
  const lines: string[] = [];
  const its = { server: await openSmtpServer(), now: Date.now() };
  const outbox = createOutbox(open.store, () => its.now);
  const mails = (): Promise<MailDocument[]> => open.store.collection(mailsCollection).acrossInstitutions.find();
  const stateOf = async (id: string): Promise<MailDocument | undefined> =>
    (await mails()).find((mail) => mail.id === id);

  return Object.assign(its, {
    lines,
    store: open.store,
    outbox,
    mails,
    stateOf,
    /** Another server takes the place of the first: at another port, since somebody else may have that one by now. */
    async restartServer(options?: SMTPServerOptions): Promise<void> {
      await its.server.close();
      its.server = await openSmtpServer(options);
    },
    /** An instance that sends, to the server of the moment. */
    start(given: Partial<MailServer> = {}, { idleMs = 60_000 } = {}): Instance {
      const transportOf = () =>
        createSmtp({ host: '127.0.0.1', port: its.server.port, secure: false, ...given }, { idleMs });
      const logger = createLogger({ service: 'test', level: 'info', write: (line) => void lines.push(line) });
      const attempt = createAttempt({ compose, transportOf, logger });
      const now = () => its.now;
      const sender = createSender({ outbox, attempt, isOn: () => true, ended: () => undefined, logger, now });
      const runner = startWork({
        store: open.store,
        collections: [mailsCollection],
        work: { mails: mailWork },
        state: { mail: { sender } },
        logger,
        now,
        watchMs: 20,
      });
      const instance = { refusedSenders: sender.refusedSenders, close: runner.close };
      senders.push(instance);
      return instance;
    },
    async stop(): Promise<void> {
      for (const sender of senders.splice(0)) await sender.close();
    },
    async add(orderId: string, more: Partial<NewMail> = {}, institution = 'opera'): Promise<string> {
      const id = `mail_${randomUUID()}`;
      const shop = { pointOfSale: 'tickets.example', contactNumber: 'C1', kind: 'confirmation' } as const;
      const times = { createdAt: its.now, endedAt: null };
      const state = { state: 'waiting', attempts: 0, sealedLink: null, reason: null, bulk: false } as const;
      await outbox.add(institution, [{ id, orderId, ...shop, ...state, ...times, ...more }]);
      return id;
    },
    /** The earliest mail that is due, as an instance that dies then has it. */
    async claim(): Promise<MailDocument | undefined> {
      const { acrossInstitutions } = open.store.collection(mailsCollection);
      const [claimed] = await acrossInstitutions.claimDue({ now: its.now, limit: 1, forMs: { send: CLAIM_MS } });
      return claimed?.document;
    },
    isSent: (id: string) => async () => (await stateOf(id))?.state === 'sent',
    to: (address: string) => its.server.received.filter((mail) => mail.to === address),
    async close(): Promise<void> {
      for (const sender of senders.splice(0)) await sender.close();
      await its.server.close();
      await open.discard();
    },
  });
}

/** The order's id is the address: what is composed is not what tests of sending are about. */
const compose: Compose = async ({ id, orderId, pointOfSale }) => ({
  state: 'ready',
  pointOfSale: { demo: false } as never,
  mail: {
    from: `house@${pointOfSale}`,
    to: orderId,
    subject: id,
    text: 'Hello',
    messageId: `<${id}@example.org>`,
  },
});

export type Sending = Awaited<ReturnType<typeof openSending>>;
