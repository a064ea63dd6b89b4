import { killsAt } from '../scenarios/kills.ts';
import { reorderedOf } from '../scenarios/reordered.ts';
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

/** A change does not wait for the one before it. */
export const predecessorIgnored: Control = {
  name: 'predecessor-ignored',
  bug: 'a fact whose predecessor has not arrived gets its event at once, so that the earlier change has none',
  engines: 'embedded',
  mutations: [
    {
      file: 'services/events/src/log/log.ts',
      from: "if (before !== null && last < before) return 'early';",
      to: '',
    },
  ],
  scenario: reorderedOf(500),
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
