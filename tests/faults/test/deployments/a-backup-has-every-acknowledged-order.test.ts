import { rm } from 'node:fs/promises';
import { waitUntil } from '@boxoffice/testkit';
import { expect, test } from '@jest/globals';
import { findOrder, openApi } from '../../src/client/api.ts';
import type { OrderView } from '../../src/client/views.ts';
import { emptyDirectory, startEmbedded } from '../../src/deployment/embedded.ts';
import { openConcurrentSale } from '../../src/index.ts';
import type { Entry } from '../../src/round/journal.ts';
import { access, lostOfAccess } from './access.ts';
import { operate } from './operator.ts';

/** The orders that clients know to exist: their creation was answered with success. */
const ordersKnown = (entries: readonly Entry[]): string[] =>
  entries.flatMap(({ action, outcome, answer }) =>
    action === 'create' && outcome === 'ok' ? [(answer as { readonly id: string }).id] : [],
  );

/** The fault of an order, given the earlier responses to its client. */
const lost = (order: OrderView | undefined, reported: readonly Entry[]): string | undefined => {
  if (!order) return 'is gone';
  const done = (action: Entry['action']) => reported.some((entry) => entry.action === action && entry.outcome === 'ok');
  if (done('cancel') && order.state !== 'cancelled') return `is ${order.state}, and was cancelled`;
  if (done('confirm') && order.confirmedAt === null) return `is ${order.state}, and was confirmed`;
  return undefined;
};

test('an installation restored from a backup during a sale is consistent and has every acknowledged order, user, sign-in and count', async () => {
  const deployment = await startEmbedded();
  const data = await emptyDirectory();
  const backup = `${data.directory}-backup`;
  try {
    const known = await access(deployment);
    const selling = await openConcurrentSale(deployment, { reference: 'sale', buyers: 16, capacity: 400 });
    await waitUntil(() => ordersKnown(selling.entries).length >= 80, { what: 'orders', withinMs: 240_000 });
    const before = [...selling.entries];
    const taken = JSON.parse((await operate(deployment.data, 'backup', backup, '--json')).out);
    expect(ordersKnown(selling.entries).length).toBeGreaterThan(ordersKnown(before).length);
    await selling.end();
    expect(taken.writersPausedMs).toBeGreaterThan(0);
    expect((await operate(data, 'restore', backup)).status).toBe(0);
    const restored = await startEmbedded([], { ...deployment, data });
    try {
      const api = openApi(restored);
      for (const id of ordersKnown(before)) {
        const reported = before.filter((entry) => entry.subject === id);
        expect([id, lost(await findOrder(api, id), reported)]).toEqual([id, undefined]);
      }
      expect(await lostOfAccess(restored, known)).toEqual([]);
      const { out } = await operate(data, 'check');
      expect(out).toMatch(/clean: no invariant is violated\n$/);
    } finally {
      await restored.close();
    }
  } finally {
    await deployment.close();
    for (const directory of [data.directory, backup])
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
});
