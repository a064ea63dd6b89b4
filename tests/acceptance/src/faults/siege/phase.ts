import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Honest, Sale } from './honest.ts';
import { openLoop, type Started } from './open-loop.ts';
import { createSamples, type Samples } from './samples.ts';

/** What a phase of the sale measured. */
export interface Phase extends Started {
  readonly samples: Samples;
  readonly seconds: number;
  /** How late the harness itself was at most, in milliseconds: its part of the latencies. */
  readonly harnessMs: number;
}

/** Lets honest buyers arrive at a fixed rate. `name` distinguishes their keys from those of other phases. */
export const playPhase = async (
  honest: Honest,
  sale: Sale,
  name: string,
  rate: number,
  seconds: number,
): Promise<Phase> => {
  const samples = createSamples();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const arrive = (index: number, intended: number) => honest.arrive(sale, samples, `${name}.${index}`, intended);
  const started = await openLoop({ rate, seconds, arrive });
  delay.disable();
  return { ...started, samples, seconds, harnessMs: delay.max / 1e6 };
};
