import {
  type Bus,
  connectRabbitmq as connectFaithful,
  createInProcessBus as createFaithful,
  type InProcessOptions,
  type Message,
  type RabbitmqOptions,
} from '@boxoffice/messaging';
import { modes } from './modes.ts';

// Replaces libs/messaging inside a process under test (replace.ts): the same, except for the faults that the modes set.
export * from '@boxoffice/messaging';

/** A copy with this delay arrives after facts that were published after its original. */
export const LATE_MS = 700;

const publishAgain = async (bus: Bus, message: Message): Promise<void> => {
  await Promise.all([bus.publish(message), bus.publish(message)]);
  setTimeout(() => bus.publish(message).catch(() => undefined), LATE_MS).unref();
};

const doubled = (bus: Bus): Bus => ({
  ...bus,
  publish: (message) => (modes().bus === 'doubling' ? publishAgain(bus, message) : bus.publish(message)),
});

/** As the original, in the modes of this process. */
export const createInProcessBus = (options: InProcessOptions): Bus => doubled(createFaithful(options));

/** As the original, in the modes of this process. */
export const connectRabbitmq = async (options: RabbitmqOptions): Promise<Bus> =>
  doubled(await connectFaithful(options));
