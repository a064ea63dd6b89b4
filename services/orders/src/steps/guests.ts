import { documentsOf } from '@boxoffice/store';
import { isUnavailable } from '../api/faults.ts';
import type { OrdersContext } from '../context.ts';
import { forgotten, written } from '../domain/guest.ts';
import type { OrderDocument } from '../store.ts';

const changed = (current: OrderDocument, next: OrderDocument) => (next === current ? undefined : { next });

/**
 * Guests of carts: writes the contact of an order's guest, then deletes the guest's data from the order. Runs only
 * after the checkout is accepted; idempotent. @throws Fault `service_unavailable`
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

/** As {@link writeGuest}, but a failure is only logged: the sweep repeats it. */
export const writeGuestOrLater = (context: OrdersContext, order: OrderDocument): Promise<void> =>
  writeGuest(context, order).catch((error: unknown) =>
    context.log.warn("the contact of an order's guest is written later", { error }),
  );

/**
 * Erases the contacts of former guests that no order names any more; idempotent. @throws Fault `service_unavailable`
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

/** By this age the checkout's own attempt has ended. */
const LATE_MS = 5_000;

/** Repeats what is left of a kind, oldest first; ends early while contacts does not answer. */
const sweepLeft = async (
  context: OrdersContext,
  left: 'guest' | 'formerGuests',
  act: (context: OrdersContext, order: OrderDocument) => Promise<void>,
  failure: string,
): Promise<void> => {
  const since = `${left}.since` as const;
  const where = { [since]: { lte: context.now() - LATE_MS } };
  for await (const order of documentsOf(context.orders.acrossInstitutions, { where, orderBy: since })) {
    try {
      await act(context, order);
    } catch (error) {
      context.log.warn(failure, { error });
      if (isUnavailable(error)) return;
    }
  }
};

/** Writes the guests' contacts that a checkout left unwritten, then erases the contacts of former guests. */
export const sweepGuests = async (context: OrdersContext): Promise<void> => {
  await sweepLeft(context, 'guest', writeGuest, "the contact of an order's guest could not be written");
  await sweepLeft(context, 'formerGuests', forgetGuests, 'the contact of a former guest could not be erased');
};
