import type { Message } from '@boxoffice/messaging';
import { useFixture } from '@boxoffice/service/testkit';
import { expect, test } from '@jest/globals';
import { queueMails } from '../../src/reactions.ts';
import { createAnnouncement, openMailing, sell } from './fixture.ts';

const fixture = useFixture(() => openMailing());

test('from most facts of a sale no mail follows: then the store is not called', async () => {
  const { id } = await sell(fixture);
  const calls: string[] = [];
  const outbox = new Proxy(fixture.context.mail.outbox, {
    get: (_, name) => async () => void calls.push(String(name)),
  });
  const mail = { ...fixture.context.mail, outbox };
  const react = (type: string, more: object = {}): Promise<void> => {
    const data = createAnnouncement(fixture, id, type, more);
    return queueMails({ ...fixture.context, mail }, {
      ...{ type: 'order.recorded', institution: 'opera', version: 4 },
      data,
    } as Message);
  };
  const belongsTo = { clientIds: ['cli_partner'], pointOfSale: fixture.pointOfSale.serviceHost };
  for (const type of ['order.created', 'payment.recorded', 'order.confirmed', 'order.changed', 'order.cancelled'])
    await react(type, { belongsTo });
  for (const type of ['order.created', 'payment.recorded', 'order.changed']) await react(type);
  expect(calls).toEqual([]);
  // A mail follows from this one.
  await react('order.confirmed');
  expect(calls).toEqual(['add']);
});
