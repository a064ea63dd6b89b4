import { Unreadable } from '@boxoffice/messaging';
import { expect, test } from '@jest/globals';
import type { OrdersContext } from '../../src/context.ts';
import { applyFulfilment } from '../../src/reactions.ts';

test.each(['order.praised', 'constructor', 'toString', '__proto__'])(
  'a message of type %s has no reaction and becomes a dead letter at once',
  async (type) => {
    const message = { id: 'msg', type, key: 'ord', version: 1, institution: 'opera', data: { orderId: 'ord' } };
    const reaction = applyFulfilment({} as OrdersContext, { ...message, occurredAt: '2027-01-01T00:00:00.000Z' });
    await expect(reaction).rejects.toBeInstanceOf(Unreadable);
  },
);
