import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureDevelopmentCertificate, trustAuthorities } from '@boxoffice/runtime';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CLAIM_MS, INSTITUTION_SLOTS } from '../../src/mail/sender.ts';
import type { MailDocument } from '../../src/store.ts';
import { engines, waitUntil } from '../fixture/fixture.ts';
import { findDueWork, openSending, type Sending } from './sending.ts';

const HOUR = 60 * 60_000;

const folder = mkdtempSync(join(tmpdir(), 'boxoffice-mail-'));
afterAll(() => rmSync(folder, { recursive: true }));
let certificate: ReturnType<typeof ensureDevelopmentCertificate> | undefined;

/** A certificate of an authority that this process trusts: one, since a second of the same name is taken for it. */
const trusted = async () => {
  certificate ??= ensureDevelopmentCertificate(folder).then((made) => {
    trustAuthorities(made.caFile);
    return made;
  });
  return certificate;
};

describe.each(engines)('a mail is sent whatever the server does, on $name', (engine) => {
  let its: Sending;
  beforeEach(async () => {
    its = await openSending(engine);
  });
  afterEach(() => its.close());

  test('a server that is away gets every mail as soon as it is back, and none counts as failed', async () => {
    await its.server.close();
    const ids = await Promise.all(Array.from({ length: 12 }, (_, nth) => its.add(`away-${nth}@example.org`)));
    its.start();
    // All that were tried at once: the end of each begins the pause anew.
    const isTried = ({ reason }: MailDocument) => reason === 'ESOCKET' || reason === 'ECONNECTION';
    await waitUntil(async () => (await its.mails()).filter(isTried).length === INSTITUTION_SLOTS);
    await its.restartServer();
    // The pause of at most a minute is over.
    its.now += 60_000;
    for (const id of ids) await waitUntil(its.isSent(id));
    expect((await its.mails()).map(({ attempts }) => attempts)).toEqual(ids.map(() => 0));
    expect(its.server.received).toHaveLength(12);
  });

  test('a refused recipient fails at once with the reason, in the log without the address', async () => {
    its.server.reply = (address) => (address.startsWith('nobody') ? 550 : undefined);
    const [refused, other] = [await its.add('nobody@example.org'), await its.add('ana@example.org')];
    its.start();
    await waitUntil(its.isSent(other));
    await waitUntil(async () => (await its.stateOf(refused))?.state === 'failed');
    expect(await its.stateOf(refused)).toMatchObject({
      reason: '550',
      sealedLink: null,
      endedAt: its.now,
    });
    expect((await its.stateOf(refused))?.due).toBeUndefined();
    const said = its.lines.filter((line) => line.includes('mail not sent'));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('audit.mail_refused');
    expect(its.lines.join()).not.toContain('nobody@');
  });

  test('a full mailbox is tried again after growing pauses, for two days; then the mail has failed', async () => {
    its.server.reply = (address) => (address.startsWith('full') ? 452 : undefined);
    const [full, other] = [await its.add('full@example.org'), await its.add('ana@example.org')];
    its.start();
    await waitUntil(its.isSent(other));
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 11; attempts += 1) {
      await waitUntil(async () => (await its.stateOf(full))?.attempts === attempts);
      const mail = await its.stateOf(full);
      expect(mail?.reason).toBe('452');
      const dueAt = Number(findDueWork(mail)?.at);
      pauses.push(dueAt - its.now);
      its.now = dueAt;
    }
    await waitUntil(async () => (await its.stateOf(full))?.state === 'failed');
    expect(pauses).toEqual(pauses.toSorted((one, another) => one - another));
    const sum = pauses.reduce((all, one) => all + one);
    expect(sum).toBeGreaterThan(38 * HOUR);
    expect(sum).toBeLessThan(58 * HOUR);
    expect(its.to('full@example.org')).toEqual([]);
  });

  test('slow recipients hold up nobody else for long', async () => {
    const slow = Array.from({ length: INSTITUTION_SLOTS + 2 }, (_, nth) => `slow-${nth}@example.org`);
    const never = new Promise<void>(() => undefined);
    its.server.reply = (address) => (address.startsWith('slow') ? never : undefined);
    for (const address of slow) await its.add(address);
    its.start({}, { idleMs: 500 });
    await waitUntil(() => its.server.named.length >= INSTITUTION_SLOTS);
    const isQuickSent = its.isSent(await its.add('ana@example.org'));
    // A stalled machine makes the quick one late, too: then it is tried again.
    await waitUntil(() => {
      its.now += 100;
      return isQuickSent();
    });
    expect((await its.mails()).filter(({ state }) => state === 'waiting')).toHaveLength(slow.length);
  });

  test('mails to many leave room for that of a purchase', async () => {
    const held = Promise.withResolvers<void>();
    its.server.reply = (address) => (address.startsWith('many') ? held.promise : undefined);
    for (let nth = 0; nth < 3 * INSTITUTION_SLOTS; nth += 1) await its.add(`many-${nth}@example.org`, { bulk: true });
    its.start();
    await waitUntil(() => its.server.named.length > 0);
    await waitUntil(its.isSent(await its.add('ana@example.org')));
    held.resolve();
    await waitUntil(async () => (await its.mails()).every(({ state }) => state === 'sent'));
    expect(new Set(its.server.received.map((mail) => mail.to)).size).toBe(3 * INSTITUTION_SLOTS + 1);
  });

  test('two instances send each mail once; one that died leaves its mail until the claim ends', async () => {
    const dead = await its.add('dead@example.org');
    const claimed = await its.claim();
    expect(claimed?.id).toBe(dead);
    const ids = await Promise.all(Array.from({ length: 20 }, (_, nth) => its.add(`twice-${nth}@example.org`)));
    its.start();
    its.start();
    for (const id of ids) await waitUntil(its.isSent(id));
    expect(its.server.received.map((mail) => mail.to).sort()).toEqual(
      ids.map((_, nth) => `twice-${nth}@example.org`).sort(),
    );
    its.now += CLAIM_MS;
    await waitUntil(its.isSent(dead));
    // What the dead one would record now is too late.
    await its.outbox.end(claimed as MailDocument, { outcome: 'failed', reason: 'late' });
    expect(await its.stateOf(dead)).toMatchObject({ state: 'sent' });
    expect(its.server.received[20]?.raw).toContain(`Message-ID: <${dead}@example.org>`);
  });

  test('a stop ends attempts under way, and another instance takes the mail at once', async () => {
    const held = Promise.withResolvers<void>();
    its.server.reply = () => held.promise;
    const id = await its.add('ana@example.org');
    const first = its.start();
    await waitUntil(() => its.server.named.length === 1);
    await first.close();
    expect(await its.stateOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    expect(findDueWork(await its.stateOf(id))).toMatchObject({ at: its.now });
    its.server.reply = () => undefined;
    held.resolve();
    its.start();
    await waitUntil(its.isSent(id));
    expect(its.to('ana@example.org')).toHaveLength(1);
  });

  test('an address of RFC 6531 and a domain with umlauts arrive', async () => {
    const ids = [await its.add('jürg@bühne.example'), await its.add('ana@bühne.example')];
    its.start();
    for (const id of ids) await waitUntil(its.isSent(id));
    expect(its.server.received.map(({ to: address, smtpUtf8 }) => ({ address, smtpUtf8 }))).toEqual(
      expect.arrayContaining([
        { address: expect.stringMatching(/^jürg@/), smtpUtf8: true },
        // The server shows what came as xn--bhne-0ra.
        { address: 'ana@bühne.example', smtpUtf8: false },
      ]),
    );
  });

  describe('with a password', () => {
    const auth = { user: 'house', pass: 'a secret of the house' };
    const secured = async (more: object = {}) => {
      await its.restartServer({
        authOptional: false,
        disabledCommands: [],
        onAuth: ({ username, password }, _session, done) =>
          done(null, username === auth.user && password === auth.pass ? { user: 'house' } : {}),
        ...more,
      });
    };

    test('no password goes over a connection without TLS', async () => {
      let said = false;
      await secured({
        disabledCommands: ['STARTTLS'],
        allowInsecureAuth: true,
        onAuth: (_auth: unknown, _session: unknown, done: (error: null, response: object) => void) => {
          said = true;
          done(null, { user: 'house' });
        },
      });
      const id = await its.add('ana@example.org');
      its.start({ auth });
      await waitUntil(async () => said || ((await its.stateOf(id))?.reason ?? null) !== null);
      expect(said).toBe(false);
      expect(await its.stateOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    });

    test('a certificate of nobody is refused', async () => {
      await secured();
      const id = await its.add('ana@example.org');
      its.start({ auth });
      await waitUntil(async () => ((await its.stateOf(id))?.reason ?? null) !== null);
      expect((await its.stateOf(id))?.state).toBe('waiting');
      expect(its.server.received).toEqual([]);
    });

    test('with TLS the password is sent, and the mail', async () => {
      const { key, cert } = await trusted();
      for (const secure of [false, true]) {
        await secured({ key, cert, secure });
        const id = await its.add('ana@example.org');
        its.start({ auth, secure, host: 'localhost' });
        await waitUntil(its.isSent(id));
        expect(its.server.received).toMatchObject([{ secure: true }]);
        await its.stop();
      }
    });
  });
});
