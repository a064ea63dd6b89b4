import { PosFault } from '@boxoffice/envelope';
import type { PosContext } from '../request/context.ts';
import type { Mail } from './open.ts';

export interface WritingContext extends Pick<PosContext, 'pointOfSaleOf'> {
  readonly mail: Mail;
}

/** A point of sale that is gone has no mails. */
export async function isWritten({ mail, pointOfSaleOf }: WritingContext, serviceHost: string): Promise<boolean> {
  try {
    return mail.isOn(await pointOfSaleOf(serviceHost));
  } catch (error) {
    if (error instanceof PosFault && error.errorCode === 'context_invalid') return false;
    throw error;
  }
}
