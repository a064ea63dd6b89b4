// The fault plan: rounds of partners and visitors on a deployment whose parts fail, and the table of their results.

import { openApi } from './client/api.ts';
import { type Asked, readCommandLine, USAGE } from './command-line.ts';
import type { Deployment, EnginesName } from './deployment/deployment.ts';
import { startEmbedded } from './deployment/embedded.ts';
import { NO_SCALED_ENGINES, scaledEngines, startScaled } from './deployment/scaled.ts';
import { createTally, type Tally, tableOf } from './report.ts';
import { countsOf, failuresOf } from './round/journal.ts';
import { randomFrom } from './round/random.ts';
import type { Round } from './round/round.ts';
import { settle } from './round/settle.ts';
import { scenarios, scenariosFor } from './scenarios/index.ts';

// npm run faults

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Prints the processes' output after a round with violations. */
const explain = ({ processes }: Deployment, { kills }: Round): void => {
  if (kills.length > 0) print(`  killed: ${kills.join(', ')}`);
  for (const { name, output } of processes) {
    for (const line of output().trim().split('\n').slice(-10)) print(`  ${name}: ${line.slice(0, 500)}`);
  }
};

/** Plays one scenario after the other until the deadline, each at least once. */
const playOn = async (deployment: Deployment, asked: Asked, deadline: number, tally: Tally): Promise<void> => {
  const { engines } = deployment;
  const api = openApi(deployment);
  const chosen = scenariosFor(deployment).filter(({ name }) => asked.scenarios.includes(name));
  for (let turn = 1; turn === 1 || Date.now() < deadline; turn++) {
    for (const scenario of chosen) {
      if (turn > 1 && Date.now() > deadline) break;
      const startedAt = performance.now();
      const reference = `${scenario.name}-${engines}-${turn}`;
      const random = randomFrom(`${asked.seed}/${reference}`);
      const round = await scenario.play({ deployment, api, random, reference, size: 'long' });
      const settled = await settle(deployment, api, [round]);
      await round.afterwards?.();
      const seconds = (performance.now() - startedAt) / 1000;
      tally.add(engines, round, settled, seconds);
      const verdict = settled.violations.length === 0 ? `quiet after ${settled.seconds.toFixed(1)} s` : 'VIOLATIONS';
      const { ok, refused, unknown } = countsOf(round.journal);
      const { failed, cancelled } = failuresOf(round.journal.checkouts);
      const failures = failed === 0 ? '' : `, ${failed} times 500 (${cancelled} cancelled)`;
      const killed = round.kills.length === 0 ? '' : `, ${round.kills.length} kills`;
      print(
        `${reference}: ${ok + refused + unknown} requests${failures}${killed}, ${verdict} (${seconds.toFixed(1)} s in all)`,
      );
      for (const { invariant, text } of settled.violations.slice(0, 20)) print(`  ${invariant}: ${text}`);
      if (settled.violations.length > 0) explain(deployment, round);
    }
  }
};

const start = (engines: EnginesName): Promise<Deployment> | undefined => {
  if (engines === 'embedded') return startEmbedded();
  const found = scaledEngines(process.env);
  return found && startScaled(found);
};

const run = async (asked: Asked): Promise<number> => {
  print(`faults: seed ${asked.seed}, ${asked.minutes} minutes, ${asked.scenarios.join(', ')}`);
  const tally = createTally();
  for (const engines of asked.engines) {
    const starting = start(engines);
    if (!starting) {
      print(`skipped: ${NO_SCALED_ENGINES}`);
      continue;
    }
    const deployment = await starting;
    try {
      const share = (asked.minutes * 60_000) / asked.engines.length;
      await playOn(deployment, asked, Date.now() + share, tally);
    } catch (error) {
      for (const process of deployment.processes) print(`${process.name} printed:\n${process.output()}`);
      throw error;
    } finally {
      await deployment.close();
    }
  }
  print('');
  for (const line of tableOf(tally.rows)) print(line);
  print('');
  for (const { where, invariant, text } of tally.violations.slice(0, 100)) print(`${where} ${invariant}: ${text}`);
  print(
    tally.violations.length === 0
      ? `no violation; seed ${asked.seed}`
      : `${tally.violations.length} violations; seed ${asked.seed}`,
  );
  return tally.violations.length === 0 ? 0 : 1;
};

const asked = (): Asked | undefined => {
  try {
    return readCommandLine(
      process.argv.slice(2),
      scenarios.map(({ name }) => name),
    );
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    return undefined;
  }
};

const wanted = asked();
process.exitCode = wanted === undefined ? 2 : await run(wanted);
