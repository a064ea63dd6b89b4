import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Context } from '../context.ts';
import { deleteNames, recordErasure } from '../tickets/erasure.ts';

/**
 * A contact was erased: deletes the names on its tickets, and records the erasure for confirmations that arrive
 * later.
 */
export const onContactErased = async (context: Context, { institution, data }: Message): Promise<void> => {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  const collections = context.collections(institution);
  await recordErasure(context, collections, contactNumber);
  await deleteNames(context, collections, contactNumber);
};
