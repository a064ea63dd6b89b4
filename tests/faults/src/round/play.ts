import type { DeadLetter } from '@boxoffice/messaging';
import type { OutboxEvent } from '@boxoffice/store';
import type { Client } from '@boxoffice/testkit';
import { receiverFor } from '../client/feed.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { checkRound } from '../invariants/index.ts';
import { type Check, createCheck, type Verdict } from '../invariants/verdict.ts';
import { inspect } from './inspection.ts';
import { observeState } from './observed-state.ts';
import type { Context, Round } from './round.ts';

/** The time until everything must be right, and that of the start of a killed process. */
const QUIET_MS = 30_000;
const READY_SECONDS = 10;
/** How long everything must stay right: longer than the delay of the latest copy of a message. */
const STEADY_MS = 1_500;
const LOOK_EVERY_MS = 500;

/** messages: outboxes drain, and the dead letters are exactly the planted ones. */
export const checkMessages = (
  pending: readonly Pick<OutboxEvent, 'type' | 'key'>[],
  deadLetters: readonly Pick<DeadLetter, 'id' | 'queue' | 'reason' | 'message'>[],
  planted: readonly string[],
  check: Check,
): void => {
  check.that('messages', pending.length === 0, () => {
    const some = pending.slice(0, 5).map(({ type, key }) => `${type} of ${key}`);
    return `${pending.length} events are not published: ${some.join(', ')}`;
  });
  const expected = new Set(planted);
  for (const { id, queue, reason, message } of deadLetters) {
    const name = `${queue} ${message.type === 'unreadable' ? message.id : message.key}`;
    check.that('messages', expected.delete(name), () => `dead letter ${id} (${message.type}): ${reason}`);
  }
  check.that('messages', expected.size === 0, () => `planted and not a dead letter: ${[...expected].join(', ')}`);
};

/**
 * Waits until what clients know of the rounds agrees with the product and stays so, or the patience ends (default: the
 * promised 30 s, with the slack of the rounds), then checks what is stored. Returns the remaining violations.
 */
export const settle = async (
  deployment: Deployment,
  api: Client,
  rounds: readonly Round[],
  patienceMs = QUIET_MS * Math.max(...rounds.map(({ slack }) => slack)),
): Promise<Verdict> => {
  await Promise.all(rounds.flatMap(({ unfinished }) => unfinished));
  const inspection = await inspect(deployment.data);
  const startedAt = performance.now();
  const passed = () => performance.now() - startedAt;

  const look = async (): Promise<Verdict> => {
    const check = createCheck();
    const [pending, deadLetters] = await Promise.all([inspection.pending(), inspection.deadLetters()]);
    const planted = rounds.flatMap((round) => round.planted);
    checkMessages(pending, deadLetters, planted, check);
    for (const round of rounds) {
      const { entries, checkouts, carts } = round.journal;
      const observed = await observeState(api, round, carts);
      // Read after the state, so that what led to it can be in it.
      const received = { events: await round.feed.read(), delivered: round.receiver };
      const evidence = { entries, checkouts, observed, received, closed: round.closed ?? false };
      checkRound(evidence, check);
      await round.alsoTrue?.(evidence, check);
      for (const { name, seconds, secondsAlive, story } of round.revivals) {
        const text = () => `${name} ready after ${seconds.toFixed(1)} s: ${story.join(', ')}`;
        check.that('recovery', secondsAlive <= READY_SECONDS * round.slack, text);
      }
    }
    return check.verdict;
  };

  try {
    for (let clean: number | undefined; ; ) {
      const at = passed();
      const seen = await look();
      clean = seen.violations.length > 0 ? undefined : (clean ?? at);
      const isOver = clean === undefined ? at > patienceMs : at - clean >= STEADY_MS;
      if (isOver) {
        const stored = await inspection.check(Math.max(0, patienceMs - passed()));
        return {
          checked: seen.checked + stored.checked,
          violations: [...seen.violations, ...stored.violations],
        };
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  } finally {
    await inspection.close();
  }
};

/** A round that was played and checked. */
export interface Played extends Verdict {
  readonly round: Round;
  /** Of the round and its check together. */
  readonly seconds: number;
}

/** Plays a scenario once, waits until the deployment is quiet and checks it. */
export const playRound = async (play: (context: Context) => Promise<Round>, context: Context): Promise<Played> => {
  const startedAt = performance.now();
  const receiver = await receiverFor(context.deployment, context.api);
  const round = await play({ ...context, receiver });
  const verdict = await settle(context.deployment, context.api, [round]);
  await receiver.close();
  await round.afterwards?.();
  return { ...verdict, round, seconds: (performance.now() - startedAt) / 1000 };
};
