import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Deployment, StoreServer } from '../../deployment/deployment.ts';
import { delayed } from '../../deployment/links/damage.ts';
import { linkNames } from '../../deployment/links/pairs.ts';
import { databasesIn, lockWrites } from '../../deployment/write-lock.ts';
import type { Random } from '../../round/random.ts';
import type { Context, Round } from '../../round/round.ts';
import { type Suffered, sufferDuringTraffic } from './index.ts';

/** What happens to the store: the first two need a server of the harness. */
export const storeFaults = ['killed', 'restarted', 'refusing writes', 'slow'] as const;
export type StoreFault = (typeof storeFaults)[number];

/** Milliseconds by which each answer of a slow store is late. */
const SLOW_MS = 6_000;

/** Milliseconds of a fault: shorter and longer than the store's time limits. */
const lasting = (random: Random): number => random.between(2_000, 10_000);

/** Why a server was not down; undefined if it refuses connections. */
const accepts = (url: string): Promise<string | undefined> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.once('connect', () => resolve('it accepted connections'));
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => socket.destroy());
  });

const needServer = ({ storeServer }: Deployment): StoreServer => {
  if (!storeServer) throw new Error('this deployment has no store server of its own');
  return storeServer;
};

/** The store answers writes as a primary that has stepped down. */
const refuseWrites = async ({ deployment, random }: Context): Promise<Suffered> => {
  const { writeGate } = deployment;
  if (!writeGate) throw new Error('this deployment was started without a gate before its store');
  const before = writeGate.refused();
  writeGate.refuse(true);
  await pause(lasting(random));
  writeGate.refuse(false);
  const refused = writeGate.refused() - before;
  return { words: 'the store refusing writes', unseen: () => (refused > 0 ? undefined : 'no write was refused') };
};

const slow = async ({ deployment, random }: Context): Promise<Suffered> => {
  const { links } = deployment;
  if (!links) throw new Error('this deployment was started without links');
  const toStore = linkNames.filter(({ target }) => target === 'store').map(({ name }) => name);
  const bytes = () => toStore.reduce((sum, name) => sum + links.carried(name), 0);
  const before = bytes();
  await Promise.all(toStore.map((link) => links.damage(link, delayed(SLOW_MS))));
  await pause(SLOW_MS + lasting(random));
  const carried = bytes() - before;
  await Promise.all(toStore.map((link) => links.mend(link)));
  return { words: 'the store 6 s slow', unseen: () => (carried > 0 ? undefined : 'nothing was asked of it') };
};

const suffer = async (context: Context, fault: StoreFault): Promise<Suffered> => {
  const { deployment, random } = context;
  switch (fault) {
    case 'killed': {
      const server = needServer(deployment);
      await server.kill();
      const unseen = await accepts(server.url);
      await pause(lasting(random));
      await server.start();
      return { words: 'the store killed', unseen: () => unseen };
    }
    case 'restarted': {
      await needServer(deployment).restart();
      return { words: 'the store restarted', unseen: () => undefined };
    }
    case 'refusing writes':
      return refuseWrites(context);
    case 'slow':
      return slow(context);
  }
};

/** Plays faults of a store server during traffic, one after the other. */
export const playStoreFaults = (context: Context, faults: readonly StoreFault[]): Promise<Round> =>
  sufferDuringTraffic(context, 'store', faults, (fault) => suffer(context, fault));

/** Milliseconds: as long as a slow store takes, and longer than the engine lets a write wait. */
const LOCKED_MS = { slow: SLOW_MS, 'refusing writes': 10_000 } as const;
export type LockFault = keyof typeof LOCKED_MS;

const lock = async ({ deployment, random }: Context, fault: LockFault): Promise<Suffered> => {
  const files = await databasesIn(deployment.data.directory);
  const [first] = random.shuffled(files.toSorted());
  if (first === undefined) throw new Error(`no database file in ${deployment.data.directory}`);
  const locked = lockWrites([first]);
  await pause(LOCKED_MS[fault]);
  locked.release();
  return { words: `${first.replace(/.*\//, '')} locked for ${LOCKED_MS[fault]} ms`, unseen: () => undefined };
};

/** Plays faults of the embedded store, by a lock that another program holds on one of its files. */
export const playLocks = (context: Context, faults: readonly LockFault[]): Promise<Round> =>
  sufferDuringTraffic(context, 'store', faults, (fault) => lock(context, fault));
