// Connections between services: the instances behind a name, and the maximum age of a connection.

import { type LookupAddress, lookup as resolve } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** The instances behind one name: new connections go to any of them except those that are leaving. */
export interface Instances {
  /** The name look-up of connections, in place of Node's own. */
  readonly lookup: LookupFunction;
  /**
   * An answer from this address announced the end of its connection: its process is stopping, so new connections go to
   * other instances for a while.
   */
  leaving(address: string | undefined): void;
}

export interface InstancesOptions {
  /** Milliseconds after which a leaving address counts again, if the name still resolves to it. */
  readonly forgottenAfterMs?: number;
  readonly now?: () => number;
  /** Every address of a name, in the order in which they are to be tried. */
  readonly resolve?: (name: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;
}

/** Longer than a process may take to stop. */
const FORGOTTEN_AFTER_MS = 15_000;

const resolveAll: NonNullable<InstancesOptions['resolve']> = (name, done) =>
  resolve(name, { all: true, order: 'verbatim' }, done);

/** Creates the instances of one name. While all of them are leaving, all are used. */
export const createInstances = (options: InstancesOptions = {}): Instances => {
  const { forgottenAfterMs = FORGOTTEN_AFTER_MS, now = Date.now, resolve = resolveAll } = options;
  const gone = new Map<string, number>();
  const isLeaving = (address: string): boolean => (gone.get(address) ?? 0) > now();

  const lookup: LookupFunction = (name, { all }, done) => {
    resolve(name, (error, addresses) => {
      if (error) return done(error, []);
      const staying = addresses.filter(({ address }) => !isLeaving(address));
      const usable = staying.length > 0 ? staying : addresses;
      const [first] = usable;
      if (all || !first) done(null, usable);
      else done(null, first.address, first.family);
    });
  };
  return {
    lookup,
    leaving(address) {
      if (address === undefined) return;
      for (const [known, until] of gone) if (until <= now()) gone.delete(known);
      gone.set(address, now() + forgottenAfterMs);
    },
  };
};
