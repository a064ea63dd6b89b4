// Faults of what the processes stand on: the broker, the store and the links, during traffic.

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { getCreatedOrder } from '../client/buyer.ts';
import { createDelay, damages, linkNames } from '../deployment/links.ts';
import type { Broker } from '../deployment/servers.ts';
import type { Check } from '../invariants/verdict.ts';
import { inspect } from '../round/inspection.ts';
import { beginRound, type Context, openBuyers, type Round, type Scenario, selectShare } from '../round/round.ts';
import { buildAnyPlacesItem } from '../round/stage.ts';
import { runDuringTraffic, runWithClients } from '../round/traffic.ts';
import { killAll } from './kills.ts';

/** A fault that was played, and why the product cannot have suffered it; undefined if it did. */
export type Suffered = readonly [words: string, unseen: string | undefined];

/**
 * Plays faults during traffic, one after the other. One that nobody suffered would prove nothing: it is a violation.
 */
const sufferDuringTraffic = async (
  context: Context,
  faults: readonly ((round: Round) => Promise<Suffered>)[],
): Promise<Round> => {
  const round = await beginRound(context);
  const suffered: Suffered[] = [];
  await runDuringTraffic(context, round, async () => {
    for (const fault of faults) {
      await pause(context.random.between(500, 2_000));
      const [words, unseen] = await fault(round);
      suffered.push([words, unseen]);
      round.faults.push(words);
    }
  });
  round.alsoTrue = (_evidence, check) => requireSuffered(suffered, check);
  return round;
};

/** Checks that the product suffered the faults. */
export function requireSuffered(suffered: readonly Suffered[], check: Check): void {
  for (const [words, unseen] of suffered) check.that('round', unseen === undefined, () => `${words}: ${unseen}`);
}

/** An event that is still in its outbox after this time cannot be published; otherwise that takes milliseconds. */
const STUCK_MS = 1_000;
/** How long the traffic may take until the broker's fault keeps an event back. */
const WAIT_MS = 40_000;

/** Waits until an event (default: of any type) cannot be published. Returns why the fault was not seen, if none is. */
const eventsWait = async ({ deployment }: Context, only?: string): Promise<string | undefined> => {
  // Without a connection to the broker, which may be down.
  const inspection = await inspect({ ...deployment.data, amqpUrl: undefined });
  const firstSeen = new Map<string, number>();
  try {
    for (const until = Date.now() + WAIT_MS; Date.now() < until; ) {
      const waiting = (await inspection.pending()).filter(({ type }) => only === undefined || type === only);
      const pending = new Set(waiting.map(({ id }) => id));
      for (const id of firstSeen.keys()) if (!pending.has(id)) firstSeen.delete(id);
      for (const id of pending) {
        const since = firstSeen.get(id) ?? Date.now();
        firstSeen.set(id, since);
        if (Date.now() - since >= STUCK_MS) return undefined;
      }
      await pause(100);
    }
    return `no ${only ?? 'event'} waited in an outbox within ${WAIT_MS} ms`;
  } finally {
    await inspection.close();
  }
};

/** A fault of the broker lasts until an event waits, and a little longer. */
const whileWaiting = async (
  context: Context,
  words: string,
  begin: Promise<void>,
  end: () => Promise<void>,
  only?: string,
): Promise<Suffered> => {
  await begin;
  const unseen = await eventsWait(context, only);
  await pause(context.random.between(500, 4_000));
  await end();
  return [words, unseen];
};

/** The broker is killed until an event, of this type or any, waits for it. */
export function killBroker(context: Context, broker: Broker, only?: string): Promise<Suffered> {
  return whileWaiting(context, 'the broker killed', broker.kill(), broker.start, only);
}

/** The broker killed, restarted, without disk, and with a full queue of a service that is down. */
export const broker: Scenario = {
  name: 'broker',
  about: 'RabbitMQ killed, restarted, with its disk alarm on, and with a full queue',
  needs: 'broker',
  play(context) {
    const { deployment, random } = context;
    const { broker: server } = deployment;
    if (!server) throw new Error('this deployment has no broker');
    const faults = [
      () => killBroker(context, server),
      () => whileWaiting(context, "the broker's disk alarm", server.alarm(true), () => server.alarm(false)),
      async (): Promise<Suffered> => {
        const waiting = eventsWait(context);
        await server.restart();
        return ['the broker restarted', await waiting];
      },
      async (round: Round): Promise<Suffered> => {
        const limit = random.between(1, 5);
        let unseen: string | undefined;
        await server.limit(limit);
        await killAll(context, round, 'tickets', async () => {
          unseen = await eventsWait(context);
        });
        // Its consumers come back to a full queue.
        await server.limit(undefined);
        return [`tickets.orders.v1 full at ${limit} messages, tickets down`, unseen];
      },
    ];
    return sufferDuringTraffic(context, random.shuffle(faults));
  },
};

/** A slower cancellation counts as blocked by the outage. */
const ANSWERED_WITHIN_MS = 3_000;

/** The broker is killed and stays down: orders are created, confirmed and cancelled meanwhile, and the facts follow. */
export const outage: Scenario = {
  name: 'outage',
  about: 'RabbitMQ is killed and stays down for ten seconds of a sale; cancellations are still answered',
  needs: 'broker',
  async play(context) {
    const { deployment, random, size } = context;
    const { broker: server } = deployment;
    if (!server) throw new Error('this deployment has no broker');
    const round = await beginRound(context);
    const [count, downMs] = size === 'short' ? [4, 3_000] : [8, 10_000];
    const buyers = openBuyers(context, round, count, true);
    // Each order has a cancellation, of which most come after an answered confirmation.
    const clients = (enough: () => boolean) =>
      buyers.map(async (buyer, index) => {
        const own = random.fork(`orders ${index}`);
        while (!enough()) {
          const order = getCreatedOrder(await buyer.create([buildAnyPlacesItem(round.hall, 2)]));
          if (!order) return;
          if (own.chance(0.7)) await buyer.confirm(order.id);
          await buyer.cancel(order.id);
          await pause(500);
        }
      });
    await runWithClients(round, clients, async () => {
      await pause(1_000);
      await server.kill();
      round.faults.push('RabbitMQ');
      await pause(downMs);
      await server.start();
      await pause(1_000);
    });
    round.alsoTrue = ({ entries }, check) => {
      const cancellations = entries.filter(({ action }) => action === 'cancel');
      check.that('round', cancellations.length > count, () => 'hardly anything was cancelled');
      for (const { key, outcome, status, tookMs } of cancellations) {
        const text = () => `cancellation ${key}: ${outcome} ${status} after ${Math.round(tookMs)} ms`;
        check.that('round', outcome === 'ok' && tookMs <= ANSWERED_WITHIN_MS * round.slack, text);
      }
    };
    return round;
  },
};

/** By so much each answer of a slow store is late, in milliseconds. */
const SLOW_MS = 6_000;

/** The store killed, restarted and slow, where the harness has a server of its own and links. */
export const store: Scenario = {
  name: 'store',
  about: 'the store 6 s slow; killed and restarted, where TEST_MONGODB_CONTROL names its server',
  needs: 'links',
  play(context) {
    const { deployment, random } = context;
    const { links, storeServer } = deployment;
    if (!links) throw new Error('this deployment was started without links');
    const slow = async (): Promise<Suffered> => {
      const toStore = linkNames.filter(({ target }) => target === 'store').map(({ name }) => name);
      await Promise.all(toStore.map((link) => links.damage(link, createDelay(SLOW_MS))));
      await pause(SLOW_MS + random.between(2_000, 10_000));
      const bytes = await Promise.all(toStore.map((link) => links.mend(link)));
      return ['the store 6 s slow', bytes.some((carried) => carried > 0) ? undefined : 'nothing was asked of it'];
    };
    const killStore = async (): Promise<Suffered> => {
      await storeServer?.kill();
      await pause(random.between(2_000, 10_000));
      await storeServer?.start();
      return ['the store killed', undefined];
    };
    const restartStore = async (): Promise<Suffered> => {
      await storeServer?.restart();
      return ['the store restarted', undefined];
    };
    return sufferDuringTraffic(context, random.shuffle([slow, ...(storeServer ? [killStore, restartStore] : [])]));
  },
};

/** The faults of a round of links. */
const LINKS = 8;
/** Milliseconds between two writes of users. */
const USER_EVERY_MS = 500;

/** Links between two processes, and to the store and the broker, cut, delayed, narrowed, reset in mid-answer. */
export const links: Scenario = {
  name: 'links',
  about: 'eight links a round, between two processes or to the store or the broker, cut, slow, narrow, or reset',
  needs: 'links',
  rounds: Math.ceil(linkNames.length / LINKS),
  async play(context) {
    const { api, deployment, random } = context;
    const { links: all } = deployment;
    if (!all) throw new Error('this deployment was started without links');
    const faults = selectShare(context, linkNames, LINKS).map(({ name }) => async (): Promise<Suffered> => {
      const damage = random.pick(damages)(random);
      await all.damage(name, damage);
      await pause(random.between(1_000, 8_000));
      // A link whose caller does not go through the proxy would suffer nothing.
      const bytes = await all.mend(name);
      return [`${name} ${damage.words}`, bytes > 0 ? undefined : 'nothing has ever gone over this link'];
    });
    // Users that refer to what does not exist are the only requests for which the authorizer calls others. Any answer
    // is right, also none.
    let over = false;
    const writing = (async () => {
      while (!over) {
        for (const more of [
          { role: 'customer', contactNumber: '0' },
          { role: 'box_office', pointsOfSale: ['nowhere.example.org'] },
        ]) {
          const body = { login: `${randomUUID()}@example.org`, name: 'Ana', ...more };
          await api('/svc/v3/users', { method: 'POST', body }).catch(() => undefined);
        }
        await pause(USER_EVERY_MS);
      }
    })();
    try {
      return await sufferDuringTraffic(context, faults);
    } finally {
      over = true;
      await writing;
    }
  },
};
