import type { Command, Given } from '../command.ts';
import { type Installation, Refused } from '../installation.ts';

const letterOf = async (installation: Installation, { words: [id = ''] }: Given) => {
  const found = (await (await installation.deadLetters()).list()).find((letter) => letter.id === id);
  if (!found) throw new Refused(`there is no dead letter ${id}`);
  return found;
};

export const deadLetters: readonly Command[] = [
  {
    name: 'dead-letters list',
    usage: '[QUEUE]',
    about: 'lists messages that no retry could deliver',
    async run(installation, { words: [queue] }) {
      const letters = await (await installation.deadLetters()).list(queue);
      return letters.map(({ id, queue: from, message, attempts, deadSince, reason }) => ({
        id,
        queue: from,
        type: message.type,
        attempts,
        deadSince,
        reason,
      }));
    },
  },
  {
    name: 'dead-letters show',
    usage: 'ID',
    about: 'shows one dead letter with its message',
    run: letterOf,
  },
  {
    name: 'dead-letters replay',
    usage: 'ID',
    about: 'puts it back into its queue; on the in-process bus the running product does so within seconds',
    async run(installation, given) {
      const { id } = await letterOf(installation, given);
      const found = await (await installation.deadLetters()).replay(id);
      return found ? `${id} is back in its queue` : `${id} is gone: it was replayed or dropped meanwhile`;
    },
  },
  {
    name: 'dead-letters drop',
    usage: 'ID',
    about: 'forgets it for good',
    async run(installation, given) {
      const { id } = await letterOf(installation, given);
      await (await installation.deadLetters()).drop(id);
      return `${id} is dropped`;
    },
  },
];
