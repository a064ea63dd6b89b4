import type { Desk } from '../context.ts';
import { namedTickets } from '../domain/order/facts.ts';
import type { OrderDocument } from '../store.ts';

/**
 * Has the tickets of a confirmed order issued by a direct call, which alone says who will come. The order remembers that it must be
 * repeated until tickets has answered; without names the fact is enough. Answers whether tickets did.
 */
export const issueTickets = async (desk: Desk, order: OrderDocument): Promise<boolean> => {
  const { institution, id, version, namesDue } = order;
  const issued = await desk.tickets.issue(institution, namedTickets(order), version);
  if (issued && namesDue != null)
    await desk.orders
      .of(institution)
      .update(id, (current) => (current.namesDue === namesDue ? { next: { ...current, namesDue: null } } : undefined));
  return issued;
};

const PAGE = 200;
/** The confirmation's own call has ended by then. */
const LATE_MS = 5_000;

/** Tells tickets the names that it has not acknowledged; ends early while it does not answer. */
export const sweepNames = async (desk: Desk): Promise<void> => {
  const where = { namesDue: { lte: desk.now() - LATE_MS } };
  for (let last: OrderDocument | undefined; ; ) {
    const after = last ? { value: last.namesDue ?? null, id: last.id } : undefined;
    const found: OrderDocument[] = await desk.orders.acrossInstitutions.find({
      where,
      orderBy: 'namesDue',
      limit: PAGE,
      ...(after ? { after } : {}),
    });
    for (const order of found) if (!(await issueTickets(desk, order))) return;
    last = found.at(-1);
    if (found.length < PAGE) return;
  }
};
