import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orders } from '@boxoffice/orders';
import type { Document } from '@boxoffice/store';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type DataLocation, openStores } from '../src/deployment/installation.ts';
import { inspect } from '../src/round/inspection.ts';

const { TEST_MONGODB_URL: server } = process.env;

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'boxoffice-inspection-'));
});
afterEach(() => rm(directory, { recursive: true }));

/** Inserts a document of orders with an event, without any process that would publish it. */
const leaveEvent = async (data: DataLocation): Promise<string> => {
  const engines = await openStores(data);
  try {
    const [declared] = orders.collections;
    if (!declared) throw new Error('orders has no collection');
    const id = randomUUID();
    const store = await engines.store(orders.name, orders.collections);
    const document = { id } as unknown as Document;
    await store
      .collection(declared)
      .of('opera')
      .insert(document, { events: [{ type: 'order.confirmed', data: {} }] });
    return id;
  } finally {
    await engines.close();
  }
};

const located: readonly (readonly [string, string | undefined])[] = [
  ['SQLite', undefined],
  ...(server === undefined ? [] : [['MongoDB', `${server}/inspection_${randomUUID().slice(0, 8)}`] as const]),
];

test.each(located)('an event that waits in an outbox of %s is found', async (_engine, mongodbUrl) => {
  const data: DataLocation = { directory, mongodbUrl, amqpUrl: undefined };
  const id = await leaveEvent(data);
  const inspection = await inspect(data);
  try {
    expect((await inspection.pending()).map(({ key, type }) => [key, type])).toEqual([[id, 'order.confirmed']]);
  } finally {
    await inspection.close();
  }
});
