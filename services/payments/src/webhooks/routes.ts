import { Fault } from '@boxoffice/envelope';
import { type AnyOperation, ok, operation, pathId } from '@boxoffice/http';
import { Type } from 'typebox';
import type { PaymentsContext } from '../context.ts';
import { takeWebhook } from './take.ts';

export function createWebhookRoutes(context: PaymentsContext): AnyOperation[] {
  return [
    operation({
      id: 'takeStripeWebhook',
      method: 'post',
      path: '/svc/v3/payment-providers/stripe/webhooks/{institution}',
      access: 'public',
      raw: true,
      summary: 'Takes a webhook of Stripe',
      description:
        'For Stripe alone, which signs it (`Stripe-Signature`, valid for 300 seconds). It is a hint: the payment is ' +
        'read from Stripe before anything is recorded. Kinds and payments that are not known here have no effect.',
      params: { institution: pathId },
      body: Type.Unsafe<Buffer>({ type: 'object', additionalProperties: true, description: 'an event of Stripe' }),
      answers: { 200: Type.Object({}) },
      errors: ['bad_request'],
      example: {
        params: { institution: 'opera' },
        answer: {},
      },
      handle: async ({ params: { institution }, body, header }) => {
        if (!(await takeWebhook(context, institution, body, header('stripe-signature') ?? '')))
          throw new Fault('bad_request', 'The webhook has no valid signature of now.');
        return ok({});
      },
    }),
  ];
}
