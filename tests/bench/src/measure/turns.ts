// Ways that take turns, so that other load of the machine affects all alike.

import { readCpuSeconds, waitForRest } from './processes.ts';
import { computeMedianInterval, type MedianInterval } from './report.ts';

export interface Way {
  /** The process that serves it. */
  readonly pid: number;
  /** How many requests one `act` makes. */
  readonly requests: number;
  /** Performs the sequence on the given connection. @throws {Error} on an error response */
  act(connection: number): Promise<unknown>;
}

interface Load {
  /** Microseconds of the process's time per request. */
  readonly cpu: number;
  /** Requests. */
  readonly perMinute: number;
}

interface Turns {
  readonly rounds: number;
  /** Of one turn. */
  readonly seconds: number;
  readonly connections: number;
}

/** By way, in the order of the rounds; one more round, before them, warms up. Every other round has the reverse order. */
export async function measureInTurns(
  ways: readonly Way[],
  { rounds, ...turn }: Turns,
  progress: (line: string) => void,
): Promise<Load[][]> {
  const loads = ways.map((): Load[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    progress(`round ${round} of ${rounds}`);
    const order = [...ways.entries()];
    for (const [index, way] of round % 2 === 0 ? order : order.reverse()) {
      const load = await measureTurn(way, turn);
      if (round > 0) loads[index]?.push(load);
    }
  }
  return loads;
}

const measureTurn = async (
  { pid, requests, act }: Way,
  { seconds, connections }: Omit<Turns, 'rounds'>,
): Promise<Load> => {
  const measureCpu = () => readCpuSeconds(pid);
  const before = await waitForRest(measureCpu);
  const started = performance.now();
  let times = 0;
  const repeat = async (connection: number): Promise<void> => {
    while (performance.now() - started < seconds * 1000) {
      await act(connection);
      times += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => repeat(connection)));
  const took = performance.now() - started;
  const used = (await waitForRest(measureCpu)) - before;
  return { cpu: (used / (times * requests)) * 1e6, perMinute: (times * requests * 60_000) / took };
};

/** Of what was measured in the same rounds. */
export function computeRatio(values: readonly number[], to: readonly number[]): MedianInterval {
  return computeMedianInterval(values.map((value, round) => value / (to[round] ?? Number.NaN)));
}
