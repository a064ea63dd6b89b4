import { readFileSync } from 'node:fs';
import { authorizer } from '@boxoffice/authorizer';
import { catalog } from '@boxoffice/catalog';
import { contacts } from '@boxoffice/contacts';
import { events } from '@boxoffice/events';
import { orders } from '@boxoffice/orders';
import { payments } from '@boxoffice/payments';
import { pos } from '@boxoffice/pos';
import { readSettings } from '@boxoffice/runtime';
import type { Retentions } from '@boxoffice/service';
import type { Collection, Document } from '@boxoffice/store';
import { tickets } from '@boxoffice/tickets';
import { expect, test } from '@jest/globals';
import { progressCollections } from '../src/index.ts';

interface Retained {
  readonly name: string;
  readonly collections: readonly Collection<Document>[];
  readonly retention: Retentions;
}

/** Every service with its collections' retention texts, which depend on no setting. */
const services: readonly Retained[] = [authorizer, catalog, contacts, events, orders, payments, pos, tickets].map(
  ({ name, collections, retention }) => ({ name, collections, retention: retention?.({} as never, {} as never) ?? {} }),
);

const page = readFileSync(new URL('../../../docs/operating.md', import.meta.url), 'utf8');
const chapter = page.split('\n## Retention\n')[1]?.split('\n#')[0] ?? '';
const rows = new Map(
  chapter
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => {
      const [what = '', kept = ''] = line.split('|').slice(1, -1);
      return [what.trim(), kept.trim()];
    }),
);

test.each(services)('$name declares the retention of each of its collections', ({ collections, retention }) => {
  expect(Object.keys(retention).sort()).toEqual(collections.map(({ name }) => name).sort());
});

test.each(services)('$name has an index over all institutions for each retention by a member', (service) => {
  for (const { name, indexes } of service.collections) {
    const found = indexes.filter(({ acrossInstitutions }) => acrossInstitutions).map(({ fields }) => fields[0]);
    for (const { field } of service.retention[name]?.ends ?? []) expect(found).toContain(field);
  }
});

test.each(services)(
  'the table of docs/operating.md says the same of the collections of $name',
  ({ name, retention }) => {
    for (const [collection, { retained }] of Object.entries(retention)) {
      expect([collection, rows.get(`${name}: \`${collection}\``)]).toEqual([collection, retained]);
    }
  },
);

test('the table also has the dead letters of both buses and the progress of the demo data', () => {
  expect(rows.get('the in-process bus: `dead_letters`')).toMatch(/^until the operator/);
  expect(rows.get('RabbitMQ: dead-letter queues (`….dlq`)')).toMatch(/^until the operator/);
  for (const { name } of progressCollections)
    expect([name, rows.has(`\`local.sqlite\`: \`${name}\``)]).toEqual([name, true]);
});

test('the table has no unknown collection', () => {
  const known = services.flatMap(({ name, retention }) => Object.keys(retention).map((one) => `${name}: \`${one}\``));
  const named = [...rows.keys()].filter((what) => services.some(({ name }) => what.startsWith(`${name}: `)));
  expect(named.sort()).toEqual(known.sort());
});

const { sessionAbsoluteSeconds } = pos.settings as NonNullable<typeof pos.settings>;
const read = (seconds: number) => readSettings({ sessionAbsoluteSeconds }, { SESSION_ABSOLUTE_SECONDS: `${seconds}` });

test('a session lasts at most as long as an abandoned cart is stored', () => {
  const [end] = orders.retention?.({} as never, {} as never).orders?.ends ?? [];
  const seconds = Number(end?.afterMs) / 1_000;
  expect(read(seconds)).toEqual({ sessionAbsoluteSeconds: seconds });
  expect(() => read(seconds + 1)).toThrow('SESSION_ABSOLUTE_SECONDS');
});
