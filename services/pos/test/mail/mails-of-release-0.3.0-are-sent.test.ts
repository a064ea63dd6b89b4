import { startCompletion } from '@boxoffice/service';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { MAILS_OF_0_3, type MailDocument, mailsCollection } from '../../src/store.ts';
import { engines, waitUntil } from '../fixture/fixture.ts';
import { openSending, type Sending } from './sending.ts';

const common = { pointOfSale: 'tickets.example', contactNumber: 'C1', kind: 'confirmation', sealedLink: null } as const;

describe.each(engines)('mails of release 0.3.0 are sent, on $name', (engine) => {
  let its: Sending;
  beforeEach(async () => {
    its = await openSending(engine);
  });
  afterEach(() => its.close());

  /** Adds a mail as release 0.3.0 wrote it. */
  const addOld = async (id: string, more: Partial<MailDocument> & { dueAt: number | null; leasedUntil?: number }) => {
    const mail = { ...common, state: 'waiting', attempts: 0, bulk: false, reason: null, endedAt: null } as const;
    await its.store
      .collection(mailsCollection)
      .of('opera')
      .insert({ ...mail, id, orderId: `${id}@example.org`, createdAt: its.now, ...more });
  };

  test('when they are due, whatever is under way there only after its lease', async () => {
    await addOld('mail_due', { dueAt: its.now });
    await addOld('mail_many', { dueAt: its.now - 1, bulk: true });
    await addOld('mail_later', { dueAt: its.now + 60_000 });
    await addOld('mail_leased', { dueAt: its.now + 300_000, leasedUntil: its.now + 300_000 });
    await addOld('mail_sent', { dueAt: null, state: 'sent', endedAt: its.now });
    const failures: unknown[] = [];
    const completion = startCompletion(its.store, mailsCollection, MAILS_OF_0_3, {
      warn: (_message, fields) => void failures.push(fields),
    });
    its.start();
    await waitUntil(its.isSent('mail_due'));
    await waitUntil(its.isSent('mail_many'));
    expect(its.server.received).toHaveLength(2);
    its.now += 60_000;
    await waitUntil(its.isSent('mail_later'));
    its.now += 240_000;
    await waitUntil(its.isSent('mail_leased'));
    await completion.close();
    expect(failures).toEqual([]);
    expect(its.server.received).toHaveLength(4);
    const old = await its.store.collection({ ...mailsCollection, upgrade: (stored: MailDocument) => stored });
    expect(await old.acrossInstitutions.find(MAILS_OF_0_3)).toEqual([]);
  });
});
