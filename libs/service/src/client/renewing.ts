import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { expiryOf } from '@boxoffice/runtime';

/**
 * Makes an agent close released connections beyond a maximum age, some from half of it on: a connection is bound to one
 * instance of a service, and the next one resolves the name again. So a new instance soon gets its share of requests.
 */
export const renewing = <A extends Agent>(agent: A, afterMs: number): A => {
  const until = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent) as (connection: Duplex) => boolean;
  // Node calls this when a request has released its connection; its types omit the meaning of the result.
  agent.keepSocketAlive = (connection: Duplex): boolean => {
    const now = Date.now();
    const end = until.get(connection) ?? expiryOf(now, afterMs);
    until.set(connection, end);
    return now < end && keep(connection);
  };
  return agent;
};
