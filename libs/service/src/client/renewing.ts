import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import { expiryOf } from '@boxoffice/runtime';

/**
 * Makes an agent close connections that are given back after so long, some after half of it already: a connection leads
 * to one instance of a service, the next one to whichever the name is answered with then. So a new instance has its
 * share of the work soon.
 */
export const renewing = <A extends Agent>(agent: A, afterMs: number): A => {
  const until = new WeakMap<Duplex, number>();
  const keep = agent.keepSocketAlive.bind(agent) as (connection: Duplex) => boolean;
  // Node asks here when a request has given its connection back; the types do not know that it heeds the answer.
  agent.keepSocketAlive = (connection: Duplex): boolean => {
    const now = Date.now();
    const end = until.get(connection) ?? expiryOf(now, afterMs);
    until.set(connection, end);
    return now < end && keep(connection);
  };
  return agent;
};
