import type { Answer, Request } from '@boxoffice/http';
import type { Asking } from './steps/command.ts';
import type { OrderDocument } from './store.ts';

type OrderRequest = Pick<
  Request<{ readonly orderId: string }, unknown, unknown>,
  'caller' | 'params' | 'ifMatch' | 'remember'
>;

/** A request as the commands take it; `answer` is what it will be answered with. */
export const askingOf = (
  { caller, params, ifMatch, remember }: OrderRequest,
  answer: (order: OrderDocument) => Answer,
): Asking => ({
  institution: caller.institution,
  orderId: params.orderId,
  ifMatch,
  stamp: remember(answer),
});
