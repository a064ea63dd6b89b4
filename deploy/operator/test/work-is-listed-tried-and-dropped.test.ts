import { readFileSync } from 'node:fs';
import { pos } from '@boxoffice/pos';
import { completeWorkKind } from '@boxoffice/service';
import { type Collection, type Document, openSqliteStores, type Store } from '@boxoffice/store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serviceNames, services } from '../src/installation.ts';
import { createClub, createOperator, createTemporaryDirectory } from './program.ts';

const directory = createTemporaryDirectory();
const operator = createOperator(directory, { KEY_ENCRYPTION_KEY: 'a key of the operator tests' });
const json = async (...words: readonly string[]) => JSON.parse((await operator(...words, '--json')).out);

const since = Date.now() - 60_000;
const stores = openSqliteStores({ directory });
let store: Store;
const mails = () => {
  const [found] = pos.collections.filter(({ name }) => name === 'mails');
  if (!found) throw new Error('pos has no mails');
  return store.collection(found).of('club');
};
const addMail = (id: string, at: number) => {
  const mail = {
    id,
    orderId: 'ord_1',
    bulk: false,
    state: 'waiting',
    attempts: 3,
    sealedLink: 'sealed',
    endedAt: null,
  };
  return mails().insert(mail, { due: { send: at } });
};

beforeAll(async () => {
  await createClub(operator);
  store = await stores.open('pos', pos.collections);
});
afterAll(() => stores.close());

test('work that is due and not done is listed, and what is due later is not', async () => {
  await addMail('mail_listed', since);
  await addMail('mail_later', Date.now() + 3_600_000);
  const [mail, ...more] = await json('work', 'list', 'pos');
  expect(more).toEqual([]);
  expect(mail).toEqual({
    service: 'pos',
    collection: 'mails',
    work: 'send',
    id: 'mail_listed',
    institution: 'club',
    since: new Date(since).toISOString(),
    failed: 0,
    next: new Date(since).toISOString(),
    promised: 'no',
  });
  expect(await json('work', 'list', 'orders')).toEqual([]);
  expect(await operator('work', 'list', 'nobody')).toMatchObject({ status: 2 });
});

test('work is tried at once on request, unless an instance does it', async () => {
  await addMail('mail_retried', since);
  const across = store.collection(pos.collections.find(({ name }) => name === 'mails') as Collection<Document>);
  const { claimDue, moveDue } = across.acrossInstitutions;
  const claimed = await claimDue({ now: Date.now(), limit: 9, forMs: { send: 600_000 } });
  expect(await operator('work', 'retry', 'mail_retried')).toMatchObject({ status: 1 });
  expect(await operator('work', 'drop', 'mail_retried')).toMatchObject({ status: 1 });
  const due = claimed.find(({ document }) => document.id === 'mail_retried')?.document.due?.send;
  if (!due) throw new Error('it was not claimed');
  const later = { at: Date.now() + 3_600_000, since: due.since, tries: 4 };
  expect(await moveDue('mail_retried', 'send', due, later)).toBe(true);
  expect((await json('work', 'list')).find(({ id }: { id: string }) => id === 'mail_retried')).toMatchObject({
    failed: 4,
    next: new Date(later.at).toISOString(),
  });
  expect(await operator('work', 'retry', 'mail_retried', '--work', 'send')).toMatchObject({ status: 0 });
  const moved = (await mails().get('mail_retried'))?.due?.send;
  expect(moved).toEqual({ at: moved?.at, since, tries: 4 });
  expect(Number(moved?.at)).toBeLessThanOrEqual(Date.now());
  expect(await operator('work', 'retry', 'mail_nowhere')).toMatchObject({ status: 1 });
  expect(await operator('work', 'retry', 'mail_retried', '--work', 'sell')).toMatchObject({ status: 1 });
});

test('a mail that is dropped is over', async () => {
  await addMail('mail_dropped', since);
  expect(await operator('work', 'drop', 'mail_dropped')).toMatchObject({ status: 0 });
  const mail = await mails().get('mail_dropped');
  expect(mail).toMatchObject({ state: 'dropped', reason: 'operator', sealedLink: null, endedAt: expect.any(Number) });
  expect(mail?.due).toBeUndefined();
  expect(await operator('work', 'drop', 'mail_dropped')).toMatchObject({ status: 1 });
});

test('a webhook whose deliveries are dropped is disabled', async () => {
  const own = await stores.open('events', services.events.collections);
  const declared = services.events.collections.find(({ name }) => name === 'webhooks') as Collection<Document>;
  const webhooks = own.collection(declared).of('club');
  const webhook = { id: 'whk_dropped', state: 'active', disabledReason: null, revision: 1, deletedAt: null };
  await webhooks.insert(webhook, { due: { deliver: since } });
  expect(await operator('work', 'drop', 'whk_dropped')).toMatchObject({ status: 0 });
  const dropped = await webhooks.get('whk_dropped');
  expect(dropped).toMatchObject({
    state: 'disabled',
    revision: 2,
    disabledReason: expect.stringContaining('operator'),
  });
  expect(dropped?.due).toBeUndefined();
  await own.close();
});

/** All work of the product: its service, collection, name, and whether it may be dropped. */
const declared = serviceNames.flatMap((service) =>
  Object.entries(services[service].work ?? {}).flatMap(([collection, kinds]) =>
    Object.entries(kinds).map(([name, kind]) => ({
      service,
      collection,
      name,
      isPromised: completeWorkKind(kind).dropped === undefined,
    })),
  ),
);

/** Members without which a performance or an order cannot be read. */
const readable = {
  ...{ startDate: '2031-03-14T19:30:00.000Z', timeZone: 'Europe/Zurich' },
  ...{ lines: [], payments: [], refunds: [], hasCredit: false },
};

test('promised work cannot be dropped', async () => {
  for (const { service, collection, name } of declared.filter(({ isPromised }) => isPromised)) {
    const own = await stores.open(`${service}`, services[service].collections);
    const found = services[service].collections.find((one) => one.name === collection) as Collection<Document>;
    const id = `promised-${collection}-${name}`;
    const document = { id, ...readable };
    await own
      .collection(found)
      .of('club')
      .insert(document, { due: { [name]: since } });
    const { status, err } = await operator('work', 'drop', id);
    expect([status, err]).toEqual([1, expect.stringContaining('promised')]);
    expect((await own.collection(found).of('club').get(id))?.due?.[name]).toBeDefined();
    await own.close();
  }
});

test('docs/follow-up-work.md has a row for all work', () => {
  const page = readFileSync(new URL('../../../docs/follow-up-work.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\w+), `(\w+)`: `(\w+)` \|/gm)].map(([, ...names]) => names.join(' '));
  expect(rows.sort()).toEqual(
    declared.map(({ service, collection, name }) => `${service} ${collection} ${name}`).sort(),
  );
});
