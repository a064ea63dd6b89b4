import { setTimeout as pause } from 'node:timers/promises';
import { topology } from '@boxoffice/messaging';
import type { Broker } from '../../deployment/deployment.ts';
import { killAll } from '../../deployment/killing.ts';
import { inspect } from '../../round/inspection.ts';
import type { Context, Round } from '../../round/round.ts';
import { type Suffered, sufferDuringTraffic } from './index.ts';

/** What happens to the broker. */
export const brokerFaults = ['killed', 'restarted', 'full', 'disk alarm'] as const;
export type BrokerFault = (typeof brokerFaults)[number];

/** An event that is still in its outbox after this time cannot be published; otherwise that takes milliseconds. */
const STUCK_MS = 1_000;
/** How long the traffic may take until the broker's fault keeps an event back. */
const WAIT_MS = 40_000;

/** Waits until an event cannot be published. Returns why the fault was not seen, if none is kept back. */
const eventsWait = async ({ deployment }: Context): Promise<string | undefined> => {
  // Without a connection to the broker, which may be down.
  const inspection = await inspect({ ...deployment.data, amqpUrl: undefined });
  const firstSeen = new Map<string, number>();
  try {
    for (const until = Date.now() + WAIT_MS; Date.now() < until; ) {
      const pending = new Set((await inspection.pending()).map(({ id }) => id));
      for (const id of firstSeen.keys()) if (!pending.has(id)) firstSeen.delete(id);
      for (const id of pending) {
        const since = firstSeen.get(id) ?? Date.now();
        firstSeen.set(id, since);
        if (Date.now() - since >= STUCK_MS) return undefined;
      }
      await pause(100);
    }
    return `no event waited in an outbox within ${WAIT_MS} ms`;
  } finally {
    await inspection.close();
  }
};

const waitingIn = async ({ deployment }: Context, queue: string): Promise<number> => {
  const inspection = await inspect(deployment.data);
  try {
    return (await inspection.depths()).find((one) => one.queue === queue)?.waiting ?? 0;
  } finally {
    await inspection.close();
  }
};

/** The queue of a service that is down reaches its limit. */
const fill = async (context: Context, round: Round, broker: Broker): Promise<Suffered> => {
  const { deployment, random } = context;
  const queue = topology.ticketsOrders.name;
  const limit = random.between(1, 5);
  const early = random.chance(0.5);
  let unseen: string | undefined;
  await broker.limit(limit);
  await killAll('tickets', deployment, round, async () => {
    unseen = await eventsWait(context);
    await pause(random.between(500, 4_000));
    const waiting = await waitingIn(context, queue);
    if (waiting < limit) unseen ??= `${waiting} messages waited, fewer than the limit`;
    if (early) await broker.limit(undefined);
  });
  // Else its consumers come back to a full queue.
  if (!early) await broker.limit(undefined);
  return { words: `${queue} full at ${limit} messages, tickets down`, unseen: () => unseen };
};

const suffer = async (context: Context, fault: BrokerFault, round: Round): Promise<Suffered> => {
  const { deployment, random } = context;
  const { broker } = deployment;
  if (!broker) throw new Error('this deployment has no broker');
  switch (fault) {
    case 'killed': {
      await broker.kill();
      const unseen = await eventsWait(context);
      await pause(random.between(500, 4_000));
      await broker.start();
      return { words: 'the broker killed', unseen: () => unseen };
    }
    case 'restarted': {
      const waiting = eventsWait(context);
      await broker.restart();
      const unseen = await waiting;
      return { words: 'the broker restarted', unseen: () => unseen };
    }
    case 'disk alarm': {
      await broker.alarm(true);
      const unseen = await eventsWait(context);
      await pause(random.between(500, 4_000));
      await broker.alarm(false);
      return { words: "the broker's disk alarm", unseen: () => unseen };
    }
    case 'full':
      return fill(context, round, broker);
  }
};

/** Plays faults of the broker during traffic, one after the other. */
export const playBrokerFaults = (context: Context, faults: readonly BrokerFault[]): Promise<Round> =>
  sufferDuringTraffic(context, 'broker', faults, (fault, round) => suffer(context, fault, round));
