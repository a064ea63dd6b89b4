import type { Desk } from '../context.ts';
import { NOBODY } from '../domain/order/pending-step.ts';
import type { OrderDocument } from '../store.ts';
import { unfenced } from './aborted.ts';

/** Leaves what this process works on to whoever comes next; nothing if the step has ended, or another process has it. */
export const leave = async (desk: Desk, { institution, id, begun: left }: OrderDocument): Promise<void> => {
  await desk.orders
    .of(institution)
    .update(id, ({ begun, ...current }) =>
      begun && left && begun.owner === left.owner && unfenced(begun.request) === unfenced(left.request)
        ? { next: { ...current, begun: { ...begun, owner: NOBODY } } }
        : undefined,
    );
};

/**
 * Works on the order's pending step. However that ends, the step is not this process's any more: what a failure leaves of it is for
 * the next one who meets the order, or the sweep.
 */
export const working = async <Done>(desk: Desk, order: OrderDocument, act: () => Promise<Done>): Promise<Done> => {
  const done = desk.lease.work(order.id);
  try {
    return await act();
  } catch (error) {
    await leave(desk, order).catch((failure) => desk.log.warn('a step could not be left', { error: failure }));
    throw error;
  } finally {
    done();
  }
};
