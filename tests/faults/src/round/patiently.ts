import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 120_000;
const EVERY_MS = 1_000;

/**
 * Repeats a reading of the harness until it succeeds: a server that a fault, an attack or another program has overloaded
 * says nothing about the product. @throws what the last one threw, after two minutes
 */
export const patiently = async <Result>(read: () => Promise<Result>): Promise<Result> => {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (performance.now() > until) throw error;
      await pause(EVERY_MS);
    }
  }
};
