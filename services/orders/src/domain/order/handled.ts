import type { Order } from './order.ts';

/** Maximum number of handled requests that an order lists. */
const LISTED = 20;

/** Whether the effect of the request is in the order. */
export const isHandled = ({ handledRequests }: Pick<Order, 'handledRequests'>, request: string): boolean =>
  handledRequests?.includes(request) === true;

/** Lists the request as handled, so that a repeat does nothing. Write it together with the request's effect. */
export const handled = <O extends Order>(order: O, request: string): O =>
  isHandled(order, request)
    ? order
    : { ...order, handledRequests: [...(order.handledRequests ?? []), request].slice(-LISTED) };
