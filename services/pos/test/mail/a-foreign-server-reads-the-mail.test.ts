import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';
import { openFixture } from '../fixture/fixture.ts';
import { announce, sell } from './fixture.ts';

const { TEST_PYTHON } = process.env;
/** Debian's own Python, which has Debian's aiosmtpd, may stand behind another one on the PATH. */
const python = (TEST_PYTHON ? [TEST_PYTHON] : ['python3', '/usr/bin/python3']).find(
  (command) => spawnSync(command, ['-c', 'import aiosmtpd'], { stdio: 'ignore' }).status === 0,
);

/** A mail as Python's email package reads it. */
interface ReadMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly addresses: { readonly From: readonly (readonly string[])[]; readonly To: readonly (readonly string[])[] };
  readonly structure: readonly string[];
  readonly parts: readonly {
    readonly type: string;
    readonly charset: string | null;
    readonly disposition: string | null;
    readonly name: string | null;
    readonly text: string | null;
    readonly base64: string;
  }[];
  /** What is not as RFC 5322 and MIME want it. */
  readonly faults: readonly string[];
}

if (python === undefined)
  test.skip('not exercised: no Python with aiosmtpd; install python3-aiosmtpd (Debian), or set TEST_PYTHON', () => {});
else
  test('aiosmtpd takes the mail of a purchase, and Python reads all its parts', async () => {
    const server = spawn(python, [new URL('aiosmtpd-server.py', import.meta.url).pathname], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(server, 'exit');
    const lines = createInterface(server.stdout)[Symbol.asyncIterator]();
    const next = async (): Promise<string> => {
      const { value } = await lines.next();
      if (typeof value !== 'string') throw new Error('the server of aiosmtpd has ended');
      return value;
    };
    try {
      const mailServer = { host: '127.0.0.1', port: Number(await next()), secure: false };
      const fixture = await openFixture({ mailServer });
      try {
        const { id, order, contactNumber } = await sell(fixture, { email: 'renee@example.org' });
        fixture.contacts.contact(contactNumber, {
          email: 'renee@example.org',
          firstName: 'Renée',
          lastName: 'Müller-Łoś',
        });
        await announce(fixture, id, 'order.confirmed');
        const mail: ReadMail = JSON.parse(await next());
        expect(mail).toMatchObject({
          from: `tickets@${fixture.pointOfSale.serviceHost}`,
          to: ['renee@example.org'],
          subject: `Votre commande ${order.number} : Pièce`,
          addresses: {
            From: [[fixture.pointOfSale.name, `tickets@${fixture.pointOfSale.serviceHost}`]],
            To: [['Renée Müller-Łoś', 'renee@example.org']],
          },
          structure: [
            'multipart/mixed',
            'multipart/alternative',
            'text/plain',
            'text/html',
            'application/pdf',
            'text/calendar',
          ],
          parts: [
            { charset: 'utf-8', disposition: null, text: expect.stringContaining('Bonjour Renée Müller-Łoś,') },
            { charset: 'utf-8', disposition: null, text: expect.stringContaining('Bonjour Renée Müller-Łoś,') },
            { disposition: 'attachment', name: `${order.number}.pdf` },
            { charset: 'utf-8', disposition: 'attachment', name: `${order.number}.ics` },
          ],
          faults: [],
        });
        const [, html, pdf, calendar] = mail.parts;
        expect(html?.text).toMatch(/^<!doctype html>\r\n<html lang="fr">/);
        // The fake of tickets draws what it was asked for: the attachment has arrived byte by byte.
        expect(JSON.parse(Buffer.from(pdf?.base64 ?? '', 'base64').toString())).toMatchObject({
          ticketIds: order.lines.map(({ ticketId }) => ticketId),
          order: { number: order.number, buyer: 'Renée Müller-Łoś' },
        });
        const ics = Buffer.from(calendar?.base64 ?? '', 'base64').toString();
        expect(ics).toMatch(
          /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n[\s\S]*\r\nSUMMARY:Pièce\r\n[\s\S]*END:VCALENDAR\r\n$/,
        );
      } finally {
        await fixture.close();
      }
    } finally {
      server.kill();
      await ended;
    }
  });
