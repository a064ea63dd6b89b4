import { setTimeout as pause } from 'node:timers/promises';
import type { ConfirmChannel, GetMessage } from 'amqplib';
import type { DeadLetter, DeadLetters } from '../port.ts';
import { buildOriginHeaders, forward, toDeadLetter } from './codec.ts';
import type { Link } from './link.ts';
import { nameDeadQueue, nameMovesExchange, nameWorkQueue, type Plan } from './names.ts';
import type { Sender } from './publisher.ts';

/** Letters in a listing, per queue. */
const shown = 10_000;

/** Fetched without acknowledgement, requeued at the end, by the broker after a kill. Concurrent listings see fewer. */
export function createDeadLetters(link: Link, sender: Sender, plan: Plan): DeadLetters {
  const queueNames = () => plan.declared.queues.map(({ name }) => name);
  let last: Promise<unknown> = Promise.resolve();
  /** One listing at a time: a second would miss the letters that the first has fetched. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work, work);
    last = turn.catch(() => {});
    return turn;
  };

  /** Fetches letters until `visit` reports that it handled the one it looked for; requeues the others. */
  const look = (
    name: string,
    visit: (channel: ConfirmChannel, one: GetMessage) => Promise<boolean>,
  ): Promise<boolean> =>
    link.using(async (channel) => {
      const queue = nameDeadQueue(name, plan);
      const unmatched: GetMessage[] = [];
      try {
        for (let one = await channel.get(queue); one; one = await channel.get(queue)) {
          if (await visit(channel, one)) return true;
          unmatched.push(one);
        }
        return false;
      } finally {
        for (const one of unmatched) channel.nack(one, false, true);
        await waitUntilReturned(channel, queue, unmatched.length);
      }
    });

  const take = (id: string, act: (name: string, one: GetMessage) => Promise<void>): Promise<boolean> => {
    const name = queueNames().find((known) => id.startsWith(`${known}:`));
    if (name === undefined) return Promise.resolve(false);
    return inTurn(() =>
      look(name, async (channel, one) => {
        if (toDeadLetter(name, one).id !== id) return false;
        await act(name, one);
        channel.ack(one);
        return true;
      }),
    );
  };

  return {
    list: (only) =>
      inTurn(async () => {
        const letters: DeadLetter[] = [];
        for (const name of queueNames().filter((known) => only === undefined || known === only)) {
          let count = 0;
          await look(name, async (channel, one) => {
            if (++count > shown) {
              channel.nack(one, false, true);
              return true;
            }
            letters.push(toDeadLetter(name, one));
            return false;
          });
        }
        return letters.sort((a, b) => (a.deadSince < b.deadSince ? -1 : 1));
      }),
    replay: (id) =>
      take(id, (name, one) =>
        sender.sendTo(
          nameMovesExchange(name, plan),
          nameWorkQueue(name, plan),
          forward(one, { attempt: 1, ...buildOriginHeaders(name, one, plan) }),
        ),
      ),
    drop: (id) => take(id, async () => {}),
  };
}

/** Waits until the broker has processed acknowledgements, and the requeued letters are visible again. */
const waitUntilReturned = async (channel: ConfirmChannel, queue: string, givenBack: number): Promise<void> => {
  for (let tries = 0; tries < 100; tries++) {
    const { messageCount } = await channel.checkQueue(queue);
    if (messageCount >= givenBack) return;
    await pause(10);
  }
};
