// Inside a process of the product: doubles of its engines, crash points and the record of deliveries.

import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { armed, disarmed } from './crash.ts';
import { recordDeliveries, takeDeliveries } from './deliveries.ts';
import { behave } from './modes.ts';
import type { Modes, Order, Report } from './orders.ts';
import { replaceEngines } from './replace.ts';

// node --import: puts the product's own, unchanged program under the control of the harness that started it. The
// initial modes are in this module's query.

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
  // A killed process never writes its compile cache, and would compile again at its next start.
  process.once('message', () => flushCompileCache());
  process.on('message', (order: Order) => {
    obey(order);
    const report: Report = { kind: 'done', ...(order.kind === 'count' ? { handled: takeDeliveries() } : {}) };
    process.send?.(report);
  });
  // When the harness ends, its processes end too.
  process.on('disconnect', () => process.exit(1));
  // The channel alone does not keep the program alive.
  process.channel?.unref();
};

// Worker threads start with the same arguments.
if (isMainThread) begin();
