import { type Accepted, accept } from './decisions.ts';
import { createMailRequestedFact } from './order/facts.ts';
import type { Order } from './order/order.ts';

const DAY_MS = 24 * 60 * 60_000;

const MOST_A_DAY = 5;

/** 0: now. */
export function computeMailWait(order: Pick<Order, 'mailRequests'>, now: number): number {
  const recent = ofDay(order, now);
  const oldest = recent.at(-MOST_A_DAY);
  return oldest === undefined ? 0 : oldest + DAY_MS - now;
}

const ofDay = ({ mailRequests = [] }: Pick<Order, 'mailRequests'>, now: number): readonly number[] =>
  mailRequests.filter((at) => at > now - DAY_MS);

/** The point of sale hears of it by a fact. */
export function requestMail<O extends Order>(order: O, now: number): Accepted<O> {
  return accept({ ...order, mailRequests: [...ofDay(order, now), now] }, createMailRequestedFact(order, now));
}
