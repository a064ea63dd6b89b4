// Inside a process of the product: a double of its bus, mutations of its sources, crash points and the record of
// deliveries.

import { flushCompileCache } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { replaceClock } from './clock.ts';
import { armed, disarmed } from './crash.ts';
import { recordDeliveries, takeDeliveries } from './deliveries.ts';
import { behave } from './modes.ts';
import { plant, plantedFiles } from './mutations.ts';
import type { Modes, Mutation, Order, Report } from './orders.ts';
import { replaceMessaging } from './replace.ts';

// node --import: puts the product's own, unchanged program under the control of the harness that started it. The
// initial modes and the mutations are in this module's query.

const parameter = (name: string): string | null => new URL(import.meta.url).searchParams.get(name);

const obey = (order: Order): void => {
  if (order.kind === 'modes') behave(order.modes);
  if (order.kind === 'arm') armed(order.point, order.nth);
  if (order.kind === 'disarm') disarmed();
};

const reportOn = ({ kind }: Order): Report => ({
  kind: 'done',
  ...(kind === 'count' ? { deliveries: takeDeliveries() } : {}),
  ...(kind === 'planted' ? { planted: plantedFiles() } : {}),
});

const begin = (): void => {
  const asked = parameter('modes');
  if (asked !== null) behave(JSON.parse(asked) as Modes);
  replaceClock();
  replaceMessaging();
  recordDeliveries();
  // A killed process never writes its compile cache, and would compile again at its next start.
  process.once('message', () => flushCompileCache());
  process.on('message', (order: Order) => {
    obey(order);
    process.send?.(reportOn(order));
  });
  // When the harness ends, its processes end too.
  process.on('disconnect', () => process.exit(1));
  // The channel alone does not keep the program alive.
  process.channel?.unref();
};

plant(JSON.parse(parameter('mutations') ?? '[]') as Mutation[]);
// Worker threads with the program's arguments load this, too.
if (isMainThread) begin();
