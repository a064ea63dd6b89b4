import { type Accepted, accept } from './decisions.ts';
import { createMailRequestedFact } from './order/facts.ts';
import type { Order } from './order/order.ts';

const DAY_MS = 24 * 60 * 60_000;

const MOST_A_DAY = 5;

/** 0: now. */
export function computeMailWait(order: Pick<Order, 'mailRequests'>, now: number): number {
  const recent = listRecent(order, now);
  const oldest = recent.at(-MOST_A_DAY);
  return oldest === undefined ? 0 : oldest + DAY_MS - now;
}

const listRecent = ({ mailRequests = [] }: Pick<Order, 'mailRequests'>, now: number): readonly number[] =>
  mailRequests.filter((at) => at > now - DAY_MS);

export function requestMail<O extends Order>(order: O, now: number): Accepted<O> {
  return accept({ ...order, mailRequests: [...listRecent(order, now), now] }, createMailRequestedFact(order, now));
}
