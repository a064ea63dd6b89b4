import { receiverFor } from '../client/feed.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { inspect } from './inspection.ts';
import type { Context, Round } from './round.ts';
import { type Settled, settle } from './settle.ts';

/** A round that was played and checked. */
export interface Played {
  readonly round: Round;
  readonly settled: Settled;
  /** Of the round and its check together. */
  readonly seconds: number;
}

/** Plays a scenario once, waits until the deployment is quiet and checks it. */
export const playRound = async (play: (context: Context) => Promise<Round>, context: Context): Promise<Played> => {
  const startedAt = performance.now();
  const receiver = await receiverFor(context.deployment, context.api);
  const round = await play({ ...context, receiver });
  const settled = await settle(context.deployment, context.api, [round]);
  await receiver.close();
  await round.afterwards?.();
  return { round, settled, seconds: (performance.now() - startedAt) / 1000 };
};

/** The ids in a text. */
const idsIn = (text: string): string[] => text.match(/\b[a-z]{3}_\w+/g) ?? [];

/**
 * Prints the violations of a round with the stored documents that they name, its faults and the end of the processes'
 * output.
 */
export const printFailure = async (
  { data, partner, processes }: Deployment,
  { faults }: Round,
  { violations }: Settled,
  print: (line: string) => void,
): Promise<void> => {
  const shown = violations.slice(0, 20);
  for (const { invariant, text } of shown) print(`  ${invariant}: ${text}`);
  const inspection = await inspect(data);
  const ids = [...new Set(shown.flatMap(({ text }) => idsIn(text)))];
  for (const line of await inspection.documents(partner.institution, ids)) print(`  ${line}`);
  await inspection.close();
  if (faults.length > 0) print(`  faults: ${faults.join(', ')}`);
  for (const { name, output } of processes) {
    for (const line of output().trim().split('\n').slice(-10)) print(`  ${name}: ${line.slice(0, 500)}`);
  }
};
