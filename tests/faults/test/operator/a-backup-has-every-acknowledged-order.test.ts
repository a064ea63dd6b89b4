import { expect, test } from '@jest/globals';
import { openApi } from '../../src/client/api.ts';
import type { OrderView } from '../../src/client/views.ts';
import { startEmbedded } from '../../src/deployment/embedded.ts';
import type { Entry } from '../../src/round/journal.ts';
import { access, lostOfAccess } from './access.ts';
import { operate } from './operator.ts';
import { emptyDirectory, startOn } from './restored.ts';
import { ordersKnown, sell } from './selling.ts';

/** The fault of an order, given the earlier responses to its client. */
const lost = (order: OrderView | null, reported: readonly Entry[]): string | undefined => {
  if (!order) return 'is gone';
  const done = (action: Entry['action']) => reported.some((entry) => entry.action === action && entry.outcome === 'ok');
  if (done('cancel') && order.state !== 'cancelled') return `is ${order.state}, and was cancelled`;
  if (done('confirm') && order.confirmedAt === null) return `is ${order.state}, and was confirmed`;
  return undefined;
};

test('an installation restored from a backup during a sale is consistent and has every acknowledged order, user, sign-in and count', async () => {
  const deployment = await startEmbedded();
  const restored = await emptyDirectory();
  const backup = `${restored.directory}-backup`;
  try {
    const known = await access(deployment);
    const selling = await sell(deployment, 400);
    while (ordersKnown(selling.entries).length < 80) await new Promise((resolve) => setImmediate(resolve));
    const before = [...selling.entries];
    const taken = JSON.parse((await operate(deployment.data, 'backup', backup, '--json')).out);
    expect(ordersKnown(selling.entries).length).toBeGreaterThan(ordersKnown(before).length);
    await selling.end();
    expect(taken.writersPausedMs).toBeGreaterThan(0);
    expect((await operate(restored, 'restore', backup)).status).toBe(0);
    const running = await startOn(restored);
    try {
      const api = openApi({ ...deployment, ...running });
      for (const id of ordersKnown(before)) {
        const { status, body } = await api(`/svc/v3/orders/${id}`);
        const reported = before.filter((entry) => entry.subject === id);
        expect([id, lost(status === 200 ? (body.data as OrderView) : null, reported)]).toEqual([id, undefined]);
      }
      expect(await lostOfAccess({ ...deployment, ...running }, known)).toEqual([]);
      const { out } = await operate(restored, 'check');
      expect(out).toMatch(/clean: no invariant is violated\n$/);
    } finally {
      await running.close();
    }
  } finally {
    await deployment.close();
  }
});
