import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger, developmentCertificate, trustAuthorities } from '@boxoffice/runtime';
import type { Store } from '@boxoffice/store';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Compose } from '../../src/mail/compose.ts';
import { createOutbox, LEASE_MS, type NewMail } from '../../src/mail/outbox.ts';
import { createAttempt, createSender, type Sender, SLOTS } from '../../src/mail/sender.ts';
import type { MailServer } from '../../src/mail/server.ts';
import { createSmtp } from '../../src/mail/server.ts';
import { type MailDocument, mailsCollection } from '../../src/store.ts';
import { engines, until } from '../fixture/fixture.ts';
import { openSmtpServer, type TestServer } from './fixture.ts';

const HOUR = 60 * 60_000;

const folder = mkdtempSync(join(tmpdir(), 'boxoffice-mail-'));
afterAll(() => rmSync(folder, { recursive: true }));
let certificate: ReturnType<typeof developmentCertificate> | undefined;

/** A certificate of an authority that this process trusts: one, since a second of the same name is taken for it. */
const trusted = async () => {
  certificate ??= developmentCertificate(folder).then((made) => {
    trustAuthorities(made.caFile);
    return made;
  });
  return certificate;
};

describe.each(engines)('a mail is sent whatever the server does, on $name', (engine) => {
  let open: { readonly store: Store; discard(): Promise<void> };
  let server: TestServer;
  let now: number;
  let lines: string[];
  const senders: Sender[] = [];
  const closers: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    open = await engine.open();
    server = await openSmtpServer();
    now = Date.now();
    lines = [];
  });
  afterEach(async () => {
    for (const sender of senders.splice(0)) await sender.close();
    for (const close of closers.splice(0)) await close();
    await server.close();
    await open.discard();
  });

  const outbox = () => createOutbox(open.store, () => now);
  const mails = () => open.store.collection(mailsCollection).of('opera').find();
  const stateOf = async (id: string): Promise<MailDocument | undefined> =>
    (await mails()).find((mail) => mail.id === id);

  /** The order's id is the address: what is composed is not what these tests are about. */
  const compose: Compose = async ({ id, orderId }) => ({
    state: 'ready',
    pointOfSale: { demo: false } as never,
    mail: { from: 'house@example.org', to: orderId, subject: id, text: 'Hello', messageId: `<${id}@example.org>` },
  });

  /** An instance that sends, over the common store, to the server of the moment. */
  const start = (given: Partial<MailServer> = {}, { attemptMs = 60_000, idleMs = 60_000 } = {}): Sender => {
    const transportOf = () => createSmtp({ host: '127.0.0.1', port: server.port, secure: false, ...given }, { idleMs });
    const logger = createLogger({ service: 'test', level: 'info', write: (line) => void lines.push(line) });
    const attempt = createAttempt({ compose, transportOf, logger });
    const ended = () => undefined;
    const parts = { outbox: outbox(), attempt, isOn: () => true, ended, logger, now: () => now, pollMs: 20, attemptMs };
    const sender = createSender(parts);
    senders.push(sender);
    sender.start();
    return sender;
  };

  const add = async (orderId: string, more: Partial<NewMail> = {}): Promise<string> => {
    const id = `mail_${randomUUID()}`;
    const shop = { pointOfSale: 'tickets.example', contactNumber: 'C1', kind: 'confirmation' } as const;
    const times = { dueAt: now, createdAt: now, endedAt: null };
    const state = { state: 'waiting', attempts: 0, sealedLink: null, reason: null, bulk: false } as const;
    await outbox().add('opera', [{ id, orderId, ...shop, ...state, ...times, ...more }]);
    return id;
  };
  const isSent = (id: string) => async () => (await stateOf(id))?.state === 'sent';
  const to = (address: string) => server.received.filter((mail) => mail.to === address);

  test('a server that is away gets every mail as soon as it is back, and none counts as failed', async () => {
    await server.close();
    const ids = await Promise.all(Array.from({ length: 12 }, (_, nth) => add(`away-${nth}@example.org`)));
    start();
    // All that were tried at once: the end of each begins the pause anew.
    const isTried = ({ reason }: MailDocument) => reason === 'ESOCKET' || reason === 'ECONNECTION';
    await until(async () => (await mails()).filter(isTried).length === SLOTS);
    // At another port: somebody else may have that one by now.
    server = await openSmtpServer();
    // The pause of at most a minute is over.
    now += 60_000;
    for (const id of ids) await until(isSent(id));
    expect((await mails()).map(({ attempts }) => attempts)).toEqual(ids.map(() => 0));
    expect(server.received).toHaveLength(12);
  });

  test('a refused recipient fails at once with the reason, in the log without the address', async () => {
    server.reply = (address) => (address.startsWith('nobody') ? 550 : undefined);
    const [refused, other] = [await add('nobody@example.org'), await add('ana@example.org')];
    start();
    await until(isSent(other));
    await until(async () => (await stateOf(refused))?.state === 'failed');
    expect(await stateOf(refused)).toMatchObject({ reason: '550', dueAt: null, sealedLink: null, endedAt: now });
    const said = lines.filter((line) => line.includes('mail not sent'));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('audit.mail_refused');
    expect(lines.join()).not.toContain('nobody@');
  });

  test('a full mailbox is tried again after growing pauses, for two days; then the mail has failed', async () => {
    server.reply = (address) => (address.startsWith('full') ? 452 : undefined);
    const [full, other] = [await add('full@example.org'), await add('ana@example.org')];
    start();
    await until(isSent(other));
    const pauses: number[] = [];
    for (let attempts = 1; attempts <= 11; attempts += 1) {
      await until(async () => (await stateOf(full))?.attempts === attempts);
      const { dueAt, reason } = (await stateOf(full)) as MailDocument;
      expect(reason).toBe('452');
      pauses.push(Number(dueAt) - now);
      now = Number(dueAt);
    }
    await until(async () => (await stateOf(full))?.state === 'failed');
    expect(pauses).toEqual(pauses.toSorted((one, another) => one - another));
    const sum = pauses.reduce((all, one) => all + one);
    expect(sum).toBeGreaterThan(38 * HOUR);
    expect(sum).toBeLessThan(58 * HOUR);
    expect(to('full@example.org')).toEqual([]);
  });

  test('slow recipients hold up nobody else for long', async () => {
    const slow = Array.from({ length: SLOTS + 2 }, (_, nth) => `slow-${nth}@example.org`);
    const never = new Promise<void>(() => undefined);
    server.reply = (address) => (address.startsWith('slow') ? never : undefined);
    for (const address of slow) await add(address);
    start({}, { idleMs: 500 });
    await until(() => server.named.length >= SLOTS);
    const isQuickSent = isSent(await add('ana@example.org'));
    // A stalled machine makes the quick one late, too: then it is tried again.
    await until(() => {
      now += 100;
      return isQuickSent();
    });
    expect((await mails()).filter(({ state }) => state === 'waiting')).toHaveLength(slow.length);
  });

  test('mails to many leave room for that of a purchase', async () => {
    const held = Promise.withResolvers<void>();
    server.reply = (address) => (address.startsWith('many') ? held.promise : undefined);
    for (let nth = 0; nth < 3 * SLOTS; nth += 1) await add(`many-${nth}@example.org`, { bulk: true });
    start();
    await until(() => server.named.length > 0);
    await until(isSent(await add('ana@example.org')));
    held.resolve();
    await until(async () => (await mails()).every(({ state }) => state === 'sent'));
    expect(new Set(server.received.map((mail) => mail.to)).size).toBe(3 * SLOTS + 1);
  });

  test('two instances send each mail once; one that died leaves its mail until the lease ends', async () => {
    const dead = await add('dead@example.org');
    const [claimed] = await outbox().claim(false, 1);
    expect(claimed?.id).toBe(dead);
    const ids = await Promise.all(Array.from({ length: 20 }, (_, nth) => add(`twice-${nth}@example.org`)));
    start();
    start();
    for (const id of ids) await until(isSent(id));
    expect(server.received.map((mail) => mail.to).sort()).toEqual(
      ids.map((_, nth) => `twice-${nth}@example.org`).sort(),
    );
    now += LEASE_MS;
    await until(isSent(dead));
    // What the dead one would record now is too late.
    await outbox().end(claimed as MailDocument, { outcome: 'failed', reason: 'late' });
    expect(await stateOf(dead)).toMatchObject({ state: 'sent' });
    expect(server.received[20]?.raw).toContain(`Message-ID: <${dead}@example.org>`);
  });

  test('a stop ends attempts under way, and another instance takes the mail at once', async () => {
    const held = Promise.withResolvers<void>();
    server.reply = () => held.promise;
    const id = await add('ana@example.org');
    const first = start();
    await until(() => server.named.length === 1);
    await first.close();
    expect(await stateOf(id)).toMatchObject({ state: 'waiting', attempts: 0, dueAt: now });
    server.reply = () => undefined;
    held.resolve();
    start();
    await until(isSent(id));
    expect(to('ana@example.org')).toHaveLength(1);
  });

  test('an address of RFC 6531 and a domain with umlauts arrive', async () => {
    const ids = [await add('jürg@bühne.example'), await add('ana@bühne.example')];
    start();
    for (const id of ids) await until(isSent(id));
    expect(server.received.map(({ to: address, smtpUtf8 }) => ({ address, smtpUtf8 }))).toEqual(
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
      await server.close();
      server = await openSmtpServer({
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
      const id = await add('ana@example.org');
      start({ auth });
      await until(async () => said || ((await stateOf(id))?.reason ?? null) !== null);
      expect(said).toBe(false);
      expect(await stateOf(id)).toMatchObject({ state: 'waiting', attempts: 0 });
    });

    test('a certificate of nobody is refused', async () => {
      await secured();
      const id = await add('ana@example.org');
      start({ auth });
      await until(async () => ((await stateOf(id))?.reason ?? null) !== null);
      expect((await stateOf(id))?.state).toBe('waiting');
      expect(server.received).toEqual([]);
    });

    test('with TLS the password is sent, and the mail', async () => {
      const { key, cert } = await trusted();
      for (const secure of [false, true]) {
        await secured({ key, cert, secure });
        const id = await add('ana@example.org');
        start({ auth, secure, host: 'localhost' });
        await until(isSent(id));
        expect(server.received).toMatchObject([{ secure: true }]);
        for (const sender of senders.splice(0)) await sender.close();
      }
    });
  });
});
