import { attemptsCollection, createAddressLimit } from '@boxoffice/logins';
import type { Store } from '@boxoffice/store';
import { isWritten, type WritingContext } from '../mail/open.ts';
import { createMail, type NewMail } from '../mail/outbox.ts';
import type { PosContext } from '../request/context.ts';
import { createTooManyFault } from '../request/visit.ts';
import { createId, mailsCollection } from '../store.ts';
import { isPast, type LostLink, type LostLinks } from './links.ts';

const HOUR_MS = 60 * 60_000;

/** Requests of one address (IPv6: /64) within an hour. */
const MOST_PER_ADDRESS = 5;

/** Mails with a link to one order within a day. */
const MOST_PER_ORDER = 5;

type Context = WritingContext &
  Pick<PosContext, 'orders' | 'contacts' | 'offers' | 'tickets' | 'bestEffortTickets' | 'now' | 'log'>;

/** Requests of a process are looked up one after the other. */
export function createLostLinks(store: Store, context: Context): LostLinks {
  const mails = store.collection(mailsCollection);
  const countRequest = createAddressLimit(
    store.collection(attemptsCollection),
    { what: 'lost links', most: MOST_PER_ADDRESS, windowMs: HOUR_MS },
    context.now,
  );

  /** Undefined if number and email are not those of one order, or no mails are sent. */
  const mailFor = async (institution: string, { email, number }: LostLink): Promise<NewMail | undefined> => {
    const order = await context.orders.withNumber(institution, number);
    if (!order?.listed || order.pointOfSale === null || order.contactNumber === null) return undefined;
    const { id: orderId, pointOfSale, contactNumber } = order;
    if (!(await context.contacts.hasEmail(institution, contactNumber, email))) return undefined;
    if (!(await isWritten(context, pointOfSale)) || (await isPast(context, institution, order))) return undefined;
    const now = context.now();
    const known = await mails.of(institution).find({ where: { orderId }, index: 'order' });
    const recent = known.filter(({ kind, createdAt }) => kind === 'link' && createdAt > now - 24 * HOUR_MS);
    if (recent.length >= MOST_PER_ORDER) return undefined;
    return createMail({ kind: 'link', orderId, pointOfSale, contactNumber }, institution, createId('req'), now);
  };

  const send = async (institution: string, lost: LostLink): Promise<void> => {
    try {
      const mail = await mailFor(institution, lost);
      if (mail) await context.mail.outbox.add(institution, [mail]);
    } catch (error) {
      context.log.warn('a link that was asked for is not sent', { error });
    }
  };

  let last: Promise<void> = Promise.resolve();
  return {
    async request(institution, ip, lost) {
      const waitMs = await countRequest(institution, ip);
      if (waitMs !== undefined) throw createTooManyFault('requests for links', waitMs);
      last = last.then(() => send(institution, lost));
    },
    settled: () => last,
  };
}
