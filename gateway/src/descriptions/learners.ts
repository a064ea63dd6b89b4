import { isBuiltIn } from '@boxoffice/runtime/services';
import type { Upstream } from '../services.ts';
import type { Learner } from './learner.ts';

/** The learners of the services, which come and go with them. */
interface Learners {
  /** Those of the product's own services: the gateway is ready when they are. A team's service holds nothing up. */
  builtIn(): ReadonlyMap<string, Learner>;
  /** Replaces the services. Resolves when the cached descriptions of new ones are restored. */
  update(services: readonly Upstream[]): Promise<void>;
  /** Starts reading descriptions, now and of later services. */
  start(): void;
  close(): void;
}

/** Makes the learners, of no service yet. */
export const createLearners = (make: (service: Upstream) => Learner): Learners => {
  const running = new Map<string, { readonly url: string; readonly learner: Learner }>();
  let isStarted = false;
  return {
    builtIn: () =>
      new Map([...running].flatMap(([name, { learner }]) => (isBuiltIn(name) ? [[name, learner] as const] : []))),
    async update(services) {
      for (const [name, { url, learner }] of running)
        if (!services.some((row) => row.name === name && row.url === url)) {
          learner.close();
          running.delete(name);
        }
      const added = services.filter(({ name }) => !running.has(name)).map((row) => ({ row, learner: make(row) }));
      for (const { row, learner } of added) running.set(row.name, { url: row.url, learner });
      await Promise.all(added.map(({ learner }) => learner.restore()));
      // One that was replaced meanwhile is closed, and reads nothing.
      if (isStarted) for (const { learner } of added) learner.start();
    },
    start() {
      isStarted = true;
      for (const { learner } of running.values()) learner.start();
    },
    close() {
      for (const { learner } of running.values()) learner.close();
    },
  };
};
