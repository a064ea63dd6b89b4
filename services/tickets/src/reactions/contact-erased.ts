import { type Message, Unreadable } from '@boxoffice/messaging';
import type { Context } from '../context.ts';
import { deleteNames, recordErasure } from '../tickets/erasure.ts';

/** Drops the names that are kept with the contact, and those that are still to come. */
export const onContactErased = async (context: Context, { institution, data }: Message): Promise<void> => {
  const { contactNumber } = data as { readonly contactNumber?: unknown };
  if (typeof contactNumber !== 'string') throw new Unreadable('contact.erased needs contactNumber');
  const collections = context.collections(institution);
  await recordErasure(context, collections, contactNumber);
  await deleteNames(context, collections, contactNumber);
};
