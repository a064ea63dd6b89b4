import type { Answer, Request } from '@boxoffice/http';
import type { Command } from './steps/command.ts';
import type { OrderDocument } from './store.ts';

type HttpRequest = Pick<
  Request<{ readonly orderId: string }, unknown, unknown>,
  'caller' | 'params' | 'ifMatch' | 'remember'
>;

/** A request as the commands take it; `answer` is what it will be answered with. */
export const commandOf = (
  { caller, params, ifMatch, remember }: HttpRequest,
  answer: (order: OrderDocument) => Answer,
): Command => ({
  institution: caller.institution,
  orderId: params.orderId,
  ifMatch,
  stamp: remember(answer),
});
