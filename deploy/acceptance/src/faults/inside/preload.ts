import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { armed, disarmed } from './crash.ts';
import { recordDeliveries, takeDeliveries } from './deliveries.ts';
import { behave } from './modes.ts';
import type { Modes, Order, Report } from './orders.ts';
import { replaceEngines } from './replace.ts';

// node --import: makes the product's own, unchanged program obey the harness that started it. The modes to begin with
// stand in this module's query.

const obey = (order: Order): void => {
  if (order.kind === 'modes') behave(order.modes);
  if (order.kind === 'arm') armed(order.point, order.nth);
  if (order.kind === 'disarm') disarmed();
};

const begin = (): void => {
  const asked = new URL(import.meta.url).searchParams.get('modes');
  if (asked !== null) behave(JSON.parse(asked) as Modes);
  replaceEngines();
  recordDeliveries();
  // Who is killed later cannot keep what it has compiled, and would compile it again at its next start.
  process.once('message', () => flushCompileCache());
  process.on('message', (order: Order) => {
    obey(order);
    const report: Report = { kind: 'done', ...(order.kind === 'count' ? { handled: takeDeliveries() } : {}) };
    process.send?.(report);
  });
  // A harness that is gone leaves no processes behind.
  process.on('disconnect', () => process.exit(1));
  // The program ends when it has nothing to do but listen to the harness.
  process.channel?.unref();
};

// The threads of the program are started with the same arguments.
if (isMainThread) begin();
