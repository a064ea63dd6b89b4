import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startSweeper } from '@boxoffice/service';
import { useFixture } from '@boxoffice/service/testkit';
import { afterAll, expect, test } from '@jest/globals';
import { pos } from '../../src/app.ts';
import { collections } from '../../src/store.ts';
import { openFixture, waitUntil } from '../fixture/fixture.ts';
import { announce, sell } from './fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'boxoffice-mails-'));
afterAll(() => rmSync(folder, { recursive: true }));
const fixture = useFixture(() => openFixture({ demoMails: { folder: join(folder, 'mails'), ofAll: false } }));

const page = async (path = '', init: RequestInit = {}) => {
  const response = await fetch(`${fixture.url}/shop/outbox${path}`, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
};
const kept = (): string[] => {
  try {
    return readdirSync(join(folder, 'mails'));
  } catch {
    return [];
  }
};

test('mails of demo data are kept as files and shown at /shop/outbox; an erasure deletes them', async () => {
  Object.assign(fixture.pointOfSale, { demo: true });
  expect((await page()).text).toContain('There is none yet');
  const { id, order, contactNumber } = await sell(fixture, { email: 'ana@example.org' });
  await announce(fixture, id, 'order.confirmed');
  await waitUntil(() => kept().some((name) => name.endsWith('.json')));
  const eml = kept().find((name) => name.endsWith('.eml')) ?? '';
  expect(readFileSync(join(folder, 'mails', eml), 'utf8')).toContain('To: Ana Martin <ana@example.org>\r\n');

  const list = await page();
  expect(list.status).toBe(200);
  const policy = String(list.headers.get('content-security-policy'));
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('script-src');
  expect(list.headers.get('cache-control')).toBe('no-store');
  const [, link = ''] = /href="\/shop\/outbox(\/mail_[\w-]+)"/.exec(list.text) ?? [];
  const mail = await page(link);
  expect(mail.text).toContain('Bonjour Ana Martin,');
  const file = await fetch(`${fixture.url}/shop/outbox${link}/0`);
  expect(Object.fromEntries(file.headers)).toMatchObject({
    'content-type': 'application/pdf',
    'content-disposition': `attachment; filename="${order.number}.pdf"`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  });
  expect(await file.text()).toContain('"ticketIds":["tic_');

  for (const path of [`${link}/9`, `${link}/0/0`, '/mail_unknown', '/..%2f..%2fetc%2fpasswd', '/mail_..'])
    expect({ path, status: (await page(path)).status }).toEqual({ path, status: 404 });
  expect((await page('', { method: 'POST' })).status).toBe(405);
  expect(await page(link, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });

  await fixture.deliver('contact.erased', { contactNumber });
  expect(kept()).toEqual([]);
});

test('the files of a mail are deleted with its entry in the outbox, 30 days after it was sent', async () => {
  const { id } = await sell(fixture);
  await announce(fixture, id, 'order.confirmed');
  await waitUntil(() => kept().some((name) => name.endsWith('.json')));
  const sweptAfter = async (days: number) => {
    const retention = pos.retention?.({ sessionIdleSeconds: 1_800 } as never, fixture.context) ?? {};
    const now = () => Date.now() + days * 86_400_000;
    const sweeper = startSweeper({ store: fixture.store, collections, retention, logger: { warn: () => {} }, now });
    await sweeper.sweep().finally(() => sweeper.close());
    return kept();
  };
  expect(await sweptAfter(29)).toHaveLength(2);
  await waitUntil(async () => (await sweptAfter(31)).length === 0);
});

test('a point of sale outside the demo data has no mails', async () => {
  Object.assign(fixture.pointOfSale, { demo: false });
  const other = await openFixture({ demoMails: { folder: join(folder, 'others'), ofAll: false } });
  const { id } = await sell(other);
  await announce(other, id, 'order.confirmed');
  expect((await other.call('GET', '/products')).status).toBe(200);
  expect(readdirSync(folder)).not.toContain('others');
  await other.close();
});

test('an installation to try keeps those of every point of sale', async () => {
  const all = join(folder, 'all');
  const trial = await openFixture({ demoMails: { folder: all, ofAll: true } });
  const { id } = await sell(trial, { email: 'ada@example.org' });
  await announce(trial, id, 'order.confirmed');
  await waitUntil(async () => (await (await fetch(`${trial.url}/shop/outbox`)).text()).includes('ada@example.org'));
  await trial.close();
});
