// Inside a process of the product: doubles of its bus, of its clock and of the way to its payment provider, mutations
// of its sources, and crash points.

import { flushCompileCache, registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import {
  armCrashPoint,
  arrived,
  behave,
  disarmCrashPoint,
  listPlantedFiles,
  type Modes,
  type Mutation,
  type Order,
  plant,
  type Report,
  replaceClock,
} from './orders.ts';

// node --import: puts the product's own, unchanged program under the control of the harness that started it. The
// initial modes and the mutations are in this module's query.

const parameter = (name: string): string | null => new URL(import.meta.url).searchParams.get(name);

const locate = (file: string): string => new URL(file, import.meta.url).href;

const doubles = new Map([
  ['@boxoffice/messaging', locate('./messaging-double.ts')],
  ['stripe', locate('./stripe-double.ts')],
]);

/** Resolves libraries to their doubles for modules loaded from now on, except in the doubles themselves. */
const replaceLibraries = (): void => {
  registerHooks({
    resolve(specifier, context, next) {
      const double = doubles.get(specifier);
      return next(double === undefined || context.parentURL === double ? specifier : double, context);
    },
  });
};

const obey = (order: Order): Report => {
  if (order.kind === 'modes') behave(order.modes);
  if (order.kind === 'arm') armCrashPoint(order.point, order.nth);
  if (order.kind === 'disarm') disarmCrashPoint();
  return {
    kind: 'done',
    ...(order.kind === 'count' ? { arrived: arrived.splice(0) } : {}),
    ...(order.kind === 'planted' ? { planted: listPlantedFiles() } : {}),
  };
};

const begin = (): void => {
  const asked = parameter('modes');
  if (asked !== null) behave(JSON.parse(asked) as Modes);
  replaceClock();
  replaceLibraries();
  // A killed process never writes its compile cache, and would compile again at its next start.
  process.once('message', () => flushCompileCache());
  process.on('message', (order: Order) => process.send?.(obey(order)));
  // When the harness ends, its processes end too.
  process.on('disconnect', () => process.exit(1));
  // The channel alone does not keep the program alive.
  process.channel?.unref();
};

plant(JSON.parse(parameter('mutations') ?? '[]') as Mutation[]);
// Worker threads with the program's arguments load this, too.
if (isMainThread) begin();
