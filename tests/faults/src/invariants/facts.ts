import type { DeadLetter } from '@boxoffice/messaging';
import type { OutboxEvent } from '@boxoffice/store';
import type { Check } from './verdict.ts';

/** The facts of an installation, once it is quiet. */
export interface Facts {
  /** Written and not published. */
  readonly pending: readonly Pick<OutboxEvent, 'id' | 'type' | 'key'>[];
  readonly deadLetters: readonly Pick<DeadLetter, 'id' | 'queue' | 'reason' | 'message'>[];
  /** Expected dead letters: `<queue> <key>`, or `<queue> <id>` of bytes that are no message. */
  readonly planted: readonly string[];
}

/** I4: outboxes drain. I5: the dead letters are exactly the planted ones. */
export const checkFacts = ({ pending, deadLetters, planted }: Facts, check: Check): void => {
  check.that('I4', pending.length === 0, () => {
    const some = pending.slice(0, 5).map(({ type, key }) => `${type} of ${key}`);
    return `${pending.length} events are not published: ${some.join(', ')}`;
  });
  const expected = new Set(planted);
  for (const { id, queue, reason, message } of deadLetters) {
    const name = `${queue} ${message.type === 'unreadable' ? message.id : message.key}`;
    check.that('I5', expected.has(name), () => `dead letter ${id} (${message.type}): ${reason}`);
    expected.delete(name);
  }
  check.that('I5', expected.size === 0, () => `injected and not a dead letter: ${[...expected].join(', ')}`);
};
