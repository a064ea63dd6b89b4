import type { Message } from '@boxoffice/messaging';
import { createLogger } from '@boxoffice/runtime';
import { startWork } from '@boxoffice/service';
import type { Store } from '@boxoffice/store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Mail, openMail } from '../../src/mail/open.ts';
import { mailWork } from '../../src/mail/sender.ts';
import { queueMails } from '../../src/reactions.ts';
import { mailsCollection } from '../../src/store.ts';
import { engines, type Fixture, openFixture, waitUntil } from '../fixture/fixture.ts';
import { createAnnouncement, openSmtpServer, sell, type TestServer, toMailServer } from './fixture.ts';

let server: TestServer;
let fixture: Fixture;
beforeAll(async () => {
  server = await openSmtpServer();
  fixture = await openFixture();
});
afterAll(async () => {
  await fixture.close();
  await server.close();
});

/** A store, and the operations that were called on its collections. */
const counted = (store: Store) => {
  const calls: string[] = [];
  const counting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (of, name, self) => {
        if (name !== 'of' && name !== 'acrossInstitutions') calls.push(String(name));
        const value: unknown = Reflect.get(of, name, self);
        if (name === 'of' && typeof value === 'function')
          return (institution: string) => counting(value.call(of, institution) as object);
        return typeof value === 'object' && value !== null ? counting(value) : value;
      },
    });
  return { calls, store: { ...store, collection: (declared) => counting(store.collection(declared)) } as Store };
};

test.each(engines)(
  'from most facts of a sale no mail follows: then the store is not called, on $name',
  async (engine) => {
    const { store, discard } = await engine.open();
    const own = counted(store);
    const settings = {
      mailServer: toMailServer(server),
      mailFrom: undefined,
      mailTemplates: undefined,
      demoMails: undefined,
    };
    const logger = createLogger({ service: 'test', level: 'error', write: () => undefined });
    const { context } = fixture;
    const createLink = async () => 'https://tickets.example/shop/ticket-link';
    const mail: Mail = openMail({ store: own.store, settings, serviceSecret: 's', context, createLink, logger });
    const { id } = await sell(fixture);
    const tell = (type: string, more: object = {}): Promise<void> =>
      queueMails({ ...context, mail }, {
        type: 'order.recorded',
        institution: 'opera',
        version: 4,
        data: createAnnouncement(fixture, id, type, more),
      } as Message);

    const belongsTo = { clientIds: ['cli_partner'], pointOfSale: fixture.pointOfSale.serviceHost };
    for (const type of ['order.created', 'payment.recorded', 'order.confirmed', 'order.changed', 'order.cancelled'])
      await tell(type, { belongsTo });
    for (const type of ['order.created', 'payment.recorded', 'order.changed']) await tell(type);
    expect(own.calls).toEqual([]);
    const state = { mail };
    const work = startWork({
      store,
      collections: [mailsCollection],
      work: { mails: mailWork },
      state,
      logger,
    });

    // Counting works: a mail follows from this one.
    await tell('order.confirmed');
    expect(own.calls).toContain('insert');
    await waitUntil(() => server.received.length > 0);
    await work.close();
    await discard();
  },
);
