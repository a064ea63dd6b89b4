import { until } from '@boxoffice/messaging/conformance';
import { expect, test } from '@jest/globals';
import type { ConfirmChannel } from 'amqplib';
import { type Link, openLink } from '../../src/rabbitmq/link.ts';
import { describeWithBroker, openWay, type Way } from './broker.ts';
import { patience, silent } from './fixture.ts';

/** Runs a test with a link behind a way of its own. */
const onWay =
  (url: string, work: (link: Link, way: Way) => Promise<void>, query = '') =>
  async () => {
    const way = await openWay(url);
    const link = await openLink({ url: `${way.url}${query}`, name: 'test', logger: silent, openingMs: 500 });
    try {
      await work(link, way);
    } finally {
      await link.close();
      await way.close();
    }
  };

describeWithBroker('a connection to RabbitMQ', (url) => {
  test(
    'that falls silent while its channels are opened is given up, and another one is made',
    onWay(
      url,
      async (link, way) => {
        let attempts = 0;
        const open = async (channel: ConfirmChannel) => {
          attempts++;
          if (attempts === 1) way.freeze();
          await channel.prefetch(1);
        };
        await link.attach({ name: 'test', open, lost() {} }, 0);
        await until('another channel', () => attempts >= 2 && link.isUp(), { patienceMs: 20_000 });
        await link.established(10_000);
      },
      '?heartbeat=1',
    ),
  );

  test(
    'that is cut at any moment of its opening comes back',
    onWay(url, async (link, way) => {
      let opened = 0;
      const open = async (channel: ConfirmChannel) => {
        await channel.prefetch(1);
        opened++;
      };
      await link.attach({ name: 'test', open, lost() {} }, 10_000);
      const pieces = way.pieces;
      for (let moment = 0; moment <= pieces; moment += 3) {
        way.cut();
        way.mend();
        await way.cutAfter(moment);
        const before = opened;
        way.mend();
        await until(`an opening after cut ${moment}`, () => opened > before && link.isUp(), patience);
      }
      expect(pieces).toBeGreaterThan(5);
    }),
    120_000,
  );

  test(
    'closes in time although the broker is silent',
    onWay(url, async (link, way) => {
      await link.established(10_000);
      way.freeze();
      await link.close();
    }),
    120_000,
  );
});
