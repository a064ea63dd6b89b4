import type { Message } from '@boxoffice/messaging';
import type { Idempotency } from '@boxoffice/store';
import { textIn } from './note.ts';

/** Drops the remembered answers that speak of the contact. Orders keep its number, so that they stay valid, and no name. */
export const onContactErased = (idempotency: Pick<Idempotency, 'forget'>, message: Message): Promise<void> =>
  idempotency.forget(textIn(message, 'contactNumber'));
