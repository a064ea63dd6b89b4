import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What only the first answer shows. */
const SECRETS = /"(clientSecret|secret|key|invitation)":("[^"]*"|\{[^}]*\})/g;

/**
 * Sends a request with one Idempotency-Key eight times at once, to these instances in turn. Resolves to the first
 * answer. @throws {Error} unless the other seven replay it
 */
export const sendEightAtOnce = async <Instance, R extends Reply>(
  instances: readonly Instance[],
  send: (on: Instance, key: string) => Promise<R>,
): Promise<R> => {
  const key = randomUUID();
  const eight = Array.from({ length: 8 }, (_, n) => instances[n % instances.length] as Instance);
  const replies = await Promise.all(eight.map((on) => send(on, key)));
  const firsts = replies.filter(({ headers }) => headers.get('idempotency-replayed') === null);
  const seen = ({ status, text }: Reply) => [status, text.replaceAll(SECRETS, '"$1":null')];
  const [first = replies[0] as R] = firsts;
  for (const reply of replies) assert.deepEqual(seen(reply), seen(first));
  assert.equal(firsts.length, 1, 'the first answer was given more than once, or never');
  return first;
};
