import { type Message, Unreadable } from '@boxoffice/messaging';
import type { OrdersContext } from '../context.ts';
import type { Accepted } from '../domain/order/decision.ts';
import type { OrderDocument } from '../store.ts';

/** The string member of an event's data. @throws {Unreadable} */
export const textIn = ({ type, data }: Message, name: string): string => {
  const value = (data as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'string') throw new Unreadable(`${type} needs ${name}`);
  return value;
};

/** The count in an event's data: an integer from 0. @throws {Unreadable} */
export const countIn = ({ type, data }: Message, name: string): number => {
  const value = (data as Readonly<Record<string, unknown>>)[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Unreadable(`${type} needs ${name}`);
  return value;
};

/** Records the effect of an event in its order; ignores events of unknown orders. */
export const record = async (
  context: OrdersContext,
  message: Message,
  rule: (order: OrderDocument, now: number) => Accepted<OrderDocument>,
): Promise<void> => {
  await context.orders.of(message.institution).update(textIn(message, 'orderId'), (order) => {
    const { next, facts } = rule(order, context.now());
    return next === order ? undefined : { next, events: facts };
  });
};
