import type { Desk } from './desk.ts';
import { isUnavailable } from './faults.ts';
import type { OrderDocument } from './store.ts';

/**
 * Writes the contact of an order's guest, and then that the order need not keep what he said. Only once the checkout is accepted; it
 * may be repeated. @throws Fault `service_unavailable`
 */
export const writeGuest = async (
  desk: Desk,
  { institution, id, contactNumber, guest }: OrderDocument,
): Promise<void> => {
  if (!guest || contactNumber === null) return;
  await desk.contacts.writeGuest(institution, contactNumber, guest);
  await desk.orders
    .of(institution)
    .update(id, (current) =>
      current.guest?.since === guest.since ? { next: { ...current, guest: null } } : undefined,
    );
};

/** The same for an order that is bought already, whether or not contacts answers: the sweep tries again. */
export const writeGuestOrLater = (desk: Desk, order: OrderDocument): Promise<void> =>
  writeGuest(desk, order).catch((error: unknown) =>
    desk.log.warn("the contact of an order's guest is written later", { error }),
  );

const PAGE = 200;
/** Whoever took the checkout is no longer at it. */
const LATE_MS = 5_000;

/** Writes the contacts of guests whose checkout's process died, or did not reach contacts; ends early while contacts do not answer. */
export const sweepGuests = async (desk: Desk): Promise<void> => {
  const where = { 'guest.since': { lte: desk.now() - LATE_MS } };
  for (let last: OrderDocument | undefined; ; ) {
    const after = last ? { value: last.guest?.since ?? null, id: last.id } : undefined;
    const found = await desk.orders.acrossInstitutions.find({
      where,
      orderBy: 'guest.since',
      limit: PAGE,
      ...(after ? { after } : {}),
    });
    for (const order of found) {
      try {
        await writeGuest(desk, order);
      } catch (error) {
        desk.log.warn("the contact of an order's guest could not be written", { error });
        if (isUnavailable(error)) return;
      }
    }
    last = found.at(-1);
    if (found.length < PAGE) return;
  }
};
