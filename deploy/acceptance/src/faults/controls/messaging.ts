import { killsAt } from '../scenarios/kills.ts';
import { brokerKills } from './broker-kills.ts';
import type { Control } from './control.ts';

/** A message counts as handled before the write of its reaction. */
export const acknowledgedEarly: Control = {
  name: 'acknowledged-early',
  bug: 'a message is acknowledged before its reaction has committed',
  engines: 'embedded',
  mutations: [
    {
      file: 'libs/messaging/src/attempts.ts',
      from: 'await handler(message, attempt);',
      to: 'setTimeout(() => void handler(message, attempt).catch(() => undefined), 300);',
    },
  ],
  scenario: killsAt(['tickets-cancelled-received', 'catalog-release-received', 'orders-released-received']),
};

/** A published message counts as arrived before the broker has confirmed it. */
export const publishedUnconfirmed: Control = {
  name: 'published-unconfirmed',
  bug: 'an event leaves the outbox before the broker has confirmed it',
  engines: 'scaled',
  mutations: [
    {
      file: 'libs/messaging/src/rabbitmq/publisher.ts',
      from: `          else end(error ?? undefined);
        });`,
      to: `          else end(error ?? undefined);
        });
        end();`,
    },
  ],
  scenario: brokerKills,
};
