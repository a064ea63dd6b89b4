import assert from 'node:assert/strict';
import { create, createProcess, doWork } from './commands.ts';
import { deliver } from './delivery.ts';
import { ALL, type Event, type History } from './histories.ts';
import type { Rules } from './rules.ts';
import { type Fate, Refused, type Steps, Unavailable } from './steps.ts';
import { createWorld, type World } from './world.ts';

/** After so many steps a new order is inserted. */
const INSERTED = 4;
const waits = [4_000, 4_000, 60_000, 130_000, 5 * 60_000, 16 * 60_000];

interface Process {
  readonly id: string;
  readonly steps: Steps<unknown>;
}

/** Plays a history and lets everything come to rest; throws where an invariant does not hold. */
export function play(rules: Rules, { prices, uses, orders, events }: History): World {
  const world = createWorld(rules, prices, uses);
  const processes: Process[] = [];
  const begin = (id: string, steps: Steps<unknown>, count: number, fates: readonly Fate[]): void => {
    const process = { id, steps };
    if (!run(world, process, count, fates)) processes.push(process);
  };
  for (const [index, { kind, places, steps, hasCode = false }] of orders.entries()) {
    const id = `ord_${index + 1}`;
    begin(id, create(world, id, { count: places }, kind, hasCode), steps, []);
    // A repeat while the first request stalls, or after it died before it inserted the order.
    if (steps < INSERTED) begin(id, create(world, id, { count: places }, kind, hasCode), ALL, []);
  }
  const started: Event[] = [];
  const start = (event: Event): void => {
    const steps = world.get(event.order) && createProcess(world, event);
    if (steps) begin(event.order, steps, event.steps, event.fates);
  };
  for (const [key, planned] of events.entries()) {
    const { kind, number, flag, steps, fates, order } = planned;
    const pick = <Item>(from: Item[]): Item | undefined => from.splice(number % Math.max(1, from.length), 1)[0];
    if (kind === 'wait') world.advance(waits[number % waits.length] ?? 0);
    else if (kind === 'deadline') world.advance((world.get(order)?.order.deadline ?? 0) - 2_000 - world.now());
    else if (kind === 'step') {
      const process = pick(processes);
      if (process && !run(world, process, steps, fates)) processes.push(process);
    } else if (kind === 'crash') {
      const process = pick(processes);
      if (process) world.stranded.add(process.id);
    } else if (kind === 'late') pick(world.late)?.();
    else if (kind === 'deliver') deliver(world, pick(world.messages));
    else if (kind === 'redeliver') deliver(world, world.messages[number % Math.max(1, world.messages.length)]);
    else if (kind === 'door') {
      const fact = world.ticketsOf(order).touch(number, flag);
      if (fact) world.messages.push({ to: 'orders', id: order, version: 1, fact });
    } else if (kind === 'again') {
      const first = started.at(-1 - (number % Math.max(1, started.length)));
      if (first) start({ ...first, attempt: key, steps, fates });
    } else {
      const event = { ...planned, key, attempt: key };
      started.push(event);
      start(event);
    }
    world.check();
  }
  settle(world, processes);
  return world;
}

/** Runs a process for some effects; whether it has ended. */
const run = (world: World, { id, steps }: Process, count: number, fates: readonly Fate[]): boolean => {
  try {
    for (let step = 0; step <= count; step += 1) {
      const isDone = steps.next(fates[step - 1] ?? 'answered').done === true;
      world.check();
      if (isDone) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof Unavailable) world.stranded.add(id);
    else if (!(error instanceof Refused)) throw error;
    world.check();
    return true;
  }
};

/** What remains once nothing happens any more: late calls and facts arrive, and due work is done. */
const settle = (world: World, processes: Process[]): void => {
  for (let round = 0; round < 5; round += 1) {
    for (const process of processes.splice(0)) run(world, process, ALL, []);
    for (const effect of world.late.splice(0)) effect();
    world.advance(round < 2 ? 4_000 : 20 * 60_000);
    for (const id of world.docs.keys()) run(world, { id, steps: doWork(world, id) }, ALL, []);
    // Last in, first out, and each twice.
    for (let message = world.messages.pop(); message; message = world.messages.pop()) {
      deliver(world, message);
      deliver(world, message);
      world.check();
    }
  }
  world.advance(365 * 24 * 60 * 60_000);
  for (const id of world.docs.keys()) run(world, { id, steps: doWork(world, id) }, ALL, []);
  for (let message = world.messages.pop(); message; message = world.messages.pop()) deliver(world, message);
  assert.deepEqual([processes.length, world.late.length, world.messages.length], [0, 0, 0]);
};
