import { PosFault } from '@boxoffice/envelope';
import type { PosContext } from '../request/context.ts';
import type { Mail } from './open.ts';

/** What mails are written with. */
export interface WritingContext extends Pick<PosContext, 'pointOfSaleOf'> {
  readonly mail: Mail;
}

/** Whether mails of this point of sale go anywhere. One that is gone has no mails either. */
export async function isWritten({ mail, pointOfSaleOf }: WritingContext, serviceHost: string): Promise<boolean> {
  try {
    return mail.isOn(await pointOfSaleOf(serviceHost));
  } catch (error) {
    if (error instanceof PosFault && error.errorCode === 'context_invalid') return false;
    throw error;
  }
}
