import { setTimeout as pause } from 'node:timers/promises';
import {
  type Bus,
  connectRabbitmq as connectFaithful,
  createInProcessBus as createFaithful,
  type InProcessOptions,
  type Message,
  type RabbitmqOptions,
} from '@boxoffice/messaging';
import { createRandom, type Random } from '../round/random.ts';
import { arrived, getModes } from './orders.ts';

// Replaces libs/messaging inside a process under test: the same, but for the faults that the modes set.
export * from '@boxoffice/messaging';

/** A copy with this delay arrives after facts that were published after its original. */
const LATE_MS = 700;

/** Between two attempts to publish a copy that the publisher does not wait for. */
const AGAIN_MS = 300;

let random: { readonly seed: string; readonly delays: Random } | undefined;

const delays = (): Random => {
  const { seed = '' } = getModes();
  if (random?.seed !== seed) random = { seed, delays: createRandom(seed) };
  return random.delays;
};

export function createInProcessBus(options: InProcessOptions): Bus {
  return doublePublications(createFaithful(options));
}

/**
 * While it doubles, a fact has two copies with delays of their own. The publisher does not wait for them, so that its
 * later facts of the same key may arrive before: a crash would lose them, and this mode is for rounds without one.
 */
const doublePublications = (bus: Bus): Bus => ({
  ...bus,
  async publish(message) {
    if (!getModes().doubling) return bus.publish(message);
    for (let copy = 0; copy < 2; copy++) void publishLater(bus, message, delays().between(0, LATE_MS));
  },
  subscribe: (queue, handler) =>
    bus.subscribe(queue, (message, attempt) => {
      if (getModes().doubling) arrived.push(`${queue.name} ${message.id}`);
      return handler(message, attempt);
    }),
});

/** Publishes a copy after a delay, again until the bus has it: nobody else would. */
const publishLater = async (bus: Bus, message: Message, delayMs: number): Promise<void> => {
  for (let wait = delayMs; ; wait = AGAIN_MS) {
    await pause(wait, undefined, { ref: false });
    try {
      return await bus.publish(message);
    } catch {
      // The bus is down; again.
    }
  }
};

export async function connectRabbitmq(options: RabbitmqOptions): Promise<Bus> {
  return doublePublications(await connectFaithful(options));
}
