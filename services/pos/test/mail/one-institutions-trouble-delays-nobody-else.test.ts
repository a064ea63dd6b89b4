import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { INSTITUTION_SLOTS } from '../../src/mail/sender.ts';
import { engines, waitUntil } from '../fixture/fixture.ts';
import { findDueWork, openSending, type Sending } from './sending.ts';

const MINUTE = 60_000;
const museum = { pointOfSale: 'tickets.museum.example' };

describe.each(engines)("one institution's trouble delays nobody else, on $name", (engine) => {
  let its: Sending;
  beforeEach(async () => {
    its = await openSending(engine);
  });
  afterEach(() => its.close());

  const ofMuseum = (address: string) => its.add(address, museum, 'museum');
  const refuseOpera = (code: number) => {
    its.server.replyToSender = (address) => (address === 'house@tickets.example' ? code : undefined);
  };

  test.each([550, 553, 530, 450, 421])(
    'a %i to MAIL FROM concerns the sender: its mails wait, others go at once',
    async (code) => {
      refuseOpera(code);
      const first = await its.add('ana@example.org');
      const sender = its.start();
      const waits = (id: string) => async () => findDueWork(await its.stateOf(id))?.at === its.now + MINUTE;
      await waitUntil(waits(first));
      // The others of this point of sale need not be tried.
      const refused = [first, await its.add('ben@example.org'), await its.add('eva@example.org')];
      for (const id of refused) await waitUntil(waits(id));
      expect(its.server.senders).toEqual(['house@tickets.example']);
      for (let nth = 0; nth < 5; nth += 1) await waitUntil(its.isSent(await ofMuseum(`museum-${nth}@example.org`)));
      expect(its.server.senders).toHaveLength(6);
      for (const id of refused) expect(await its.stateOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
      expect(sender.refusedSenders()).toMatchObject([
        { institution: 'opera', pointOfSale: 'tickets.example', reason: String(code), since: its.now },
      ]);
      expect(its.lines.filter((line) => line.includes('refuses the sender'))).toEqual([
        expect.stringMatching(/"institution":"opera".*"part":"tickets\.example"/),
      ]);
    },
  );

  test('a refused sender is tried by one mail after growing pauses; once it is accepted, all of its mails go', async () => {
    refuseOpera(550);
    await its.add('ana@example.org');
    const sender = its.start();
    const pauses: number[] = [];
    for (let tried = 1; tried <= 7; tried += 1) {
      await waitUntil(() => its.server.senders.length === tried);
      await waitUntil(async () => (await its.mails()).every((mail) => findDueWork(mail)?.claim === undefined));
      const next = Math.max(...(await its.mails()).map((mail) => Number(findDueWork(mail)?.at)));
      pauses.push(Math.round((next - its.now) / MINUTE));
      if (tried === 1) for (const name of ['ben', 'eva']) await its.add(`${name}@example.org`);
      its.now = next;
    }
    expect(pauses).toEqual([1, 2, 4, 8, 15, 15, 15]);
    its.server.replyToSender = () => undefined;
    const areSent = async () => (await its.mails()).every(({ state }) => state === 'sent');
    await waitUntil(async () => {
      its.now += 1_000;
      return areSent();
    });
    expect(its.server.received).toHaveLength(3);
    expect(sender.refusedSenders()).toEqual([]);
  });

  test('a refused sign-in lets the mails of a point of sale wait; none of them has failed', async () => {
    await its.restartServer({
      authOptional: false,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth: (_auth, _session, done) => done(null, {}),
    });
    const id = await its.add('ana@example.org');
    const sender = its.start({ auth: { user: 'house', pass: 'a secret of the house' } });
    await waitUntil(async () => ((await its.stateOf(id))?.reason ?? null) !== null);
    expect(await its.stateOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(sender.refusedSenders().length).toBeLessThanOrEqual(1);
  });

  test.each([
    ['RCPT TO', 550, 'failed'],
    ['RCPT TO', 421, 'waiting'],
    ['the content', 554, 'failed'],
    ['the content', 451, 'waiting'],
  ] as const)('a reply to %s, %i, is about that mail alone', async (stage, code, state) => {
    const reply = (address: string) => (address.startsWith('nobody') ? code : undefined);
    if (stage === 'RCPT TO') its.server.reply = reply;
    else its.server.replyToContent = reply;
    const refused = await its.add('nobody@example.org');
    const sender = its.start();
    await waitUntil(async () => (await its.stateOf(refused))?.reason === String(code));
    expect(await its.stateOf(refused)).toMatchObject({ state, ...(state === 'waiting' && { attempts: 1 }) });
    await waitUntil(its.isSent(await its.add('ana@example.org')));
    expect(sender.refusedSenders()).toEqual([]);
  });

  test('many mails of an institution to recipients that never answer leave room for the others', async () => {
    const never = new Promise<void>(() => undefined);
    its.server.reply = (address) => (address.startsWith('slow') ? never : undefined);
    const mails = Array.from({ length: 100 }, (_, nth) => nth);
    await Promise.all(mails.map((nth) => its.add(`slow-${nth}@example.org`, { bulk: nth % 2 === 0 })));
    its.start();
    await waitUntil(() => its.server.named.length >= INSTITUTION_SLOTS);
    for (let nth = 0; nth < 10; nth += 1) await waitUntil(its.isSent(await ofMuseum(`museum-${nth}@example.org`)));
    expect(its.server.named.filter((address) => address.startsWith('slow'))).toHaveLength(INSTITUTION_SLOTS);
  });
});
