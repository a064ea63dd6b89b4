import { type AnyOperation, ok, operation, pathId } from '@boxoffice/http';
import type { PaymentsContext } from '../context.ts';
import { closePage } from './close.ts';
import { lookAtOrder } from './look.ts';
import { openPage } from './open.ts';
import { ClosedPage, exampleNewPage, examplePage, LookedAtOrder, NewPage, OpenedPage } from './schemas.ts';

const { paymentId, url, expiresAt } = examplePage;

export function createPagesRoutes(context: PaymentsContext): AnyOperation[] {
  return [
    operation({
      id: 'openPage',
      method: 'post',
      path: '/internal/pages',
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Opens a page of the provider on which an order is paid',
      description: 'Of one order and request once: a repeat answers the same page while it is open.',
      body: NewPage,
      answers: { 200: OpenedPage },
      example: { body: exampleNewPage, answer: { outcome: 'opened', page: examplePage } },
      handle: async ({ caller, body }) => ok(await openPage(context, caller.institution, body)),
    }),
    operation({
      id: 'closePage',
      method: 'post',
      path: '/internal/pages/{paymentId}/closing',
      access: 'internal',
      withoutIdempotency: true,
      summary: 'Closes a page that is needed no more',
      description: 'At the provider at once if that answers, else as soon as it does.',
      params: { paymentId: pathId },
      answers: { 200: ClosedPage },
      example: { params: { paymentId }, answer: { state: 'expired' } },
      handle: async ({ caller, params }) => ok(await closePage(context, caller.institution, params.paymentId)),
    }),
    operation({
      id: 'lookAtOrder',
      method: 'post',
      path: '/internal/orders/{orderId}/look',
      access: 'internal',
      withoutIdempotency: true,
      answersWithin: 5,
      summary: 'Asks the provider about the pending payments of an order',
      description:
        'At most once in 5 seconds for each payment; waits up to 3 seconds. What it finds is reported to orders.',
      params: { orderId: pathId },
      answers: { 200: LookedAtOrder },
      example: {
        params: { orderId: exampleNewPage.orderId },
        answer: { payments: [{ paymentId, state: 'pending', url, expiresAt }] },
      },
      handle: async ({ caller, params }) => ok(await lookAtOrder(context, caller.institution, params.orderId)),
    }),
  ];
}
