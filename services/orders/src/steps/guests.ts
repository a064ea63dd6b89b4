import type { OrdersContext } from '../context.ts';
import { forgotten, written } from '../domain/guest.ts';
import { isUnavailable } from '../faults.ts';
import type { OrderDocument } from '../store.ts';

const changed = (current: OrderDocument, next: OrderDocument) => (next === current ? undefined : { next });

/**
 * Writes the contact of an order's guest, and then that the order need not keep what he said. Only once the checkout is accepted; it
 * may be repeated. @throws Fault `service_unavailable`
 */
export const writeGuest = async (
  context: OrdersContext,
  { institution, id, contactNumber, guest }: OrderDocument,
): Promise<void> => {
  if (!guest || contactNumber === null) return;
  await context.contacts.writeGuest(institution, contactNumber, guest);
  await context.orders
    .of(institution)
    .update(id, (current) => changed(current, written(current, contactNumber, guest.since, context.now())));
};

/** The same for an order that is bought already, whether or not contacts answers: the sweep tries again. */
export const writeGuestOrLater = (context: OrdersContext, order: OrderDocument): Promise<void> =>
  writeGuest(context, order).catch((error: unknown) =>
    context.log.warn("the contact of an order's guest is written later", { error }),
  );

/**
 * Makes contacts forget the guests who are no buyers of the order any more, but for those whom an order names, be it another one; may
 * be repeated. @throws Fault `service_unavailable`
 */
const forgetGuests = async (
  context: OrdersContext,
  { institution, id, formerGuests }: OrderDocument,
): Promise<void> => {
  if (!formerGuests) return;
  const orders = context.orders.of(institution);
  for (const contactNumber of formerGuests.contactNumbers) {
    const isNamed = (await orders.count({ contactNumber })) > 0;
    if (!isNamed) await context.contacts.forgetGuest(institution, contactNumber);
  }
  await orders.update(id, (current) => changed(current, forgotten(current, formerGuests)));
};

const PAGE = 200;
/** Whoever took the checkout is no longer at it. */
const LATE_MS = 5_000;

/** Does what was left to the sweep, order by order of when; ends early while contacts do not answer. */
const sweepLeft = async (
  context: OrdersContext,
  left: 'guest' | 'formerGuests',
  act: (context: OrdersContext, order: OrderDocument) => Promise<void>,
  failure: string,
): Promise<void> => {
  const since = `${left}.since` as const;
  const where = { [since]: { lte: context.now() - LATE_MS } };
  for (let last: OrderDocument | undefined; ; ) {
    const after = last ? { value: last[left]?.since ?? null, id: last.id } : undefined;
    const found = await context.orders.acrossInstitutions.find({
      where,
      orderBy: since,
      limit: PAGE,
      ...(after ? { after } : {}),
    });
    for (const order of found) {
      try {
        await act(context, order);
      } catch (error) {
        context.log.warn(failure, { error });
        if (isUnavailable(error)) return;
      }
    }
    last = found.at(-1);
    if (found.length < PAGE) return;
  }
};

/**
 * Writes the contacts of guests whose checkout's process died, or did not reach contacts; then has those forgotten whose orders others
 * bought.
 */
export const sweepGuests = async (context: OrdersContext): Promise<void> => {
  await sweepLeft(context, 'guest', writeGuest, "the contact of an order's guest could not be written");
  await sweepLeft(context, 'formerGuests', forgetGuests, 'a guest who is no buyer any more could not be forgotten');
};
