import { silent, until } from '@boxoffice/messaging/conformance';
import { expect, test } from '@jest/globals';
import type { ConfirmChannel } from 'amqplib';
import { type Link, openLink } from '../../src/rabbitmq/link.ts';
import { type BrokerProxy, describeWithBroker, openProxy } from './broker.ts';

/** Runs a test with a link behind its own proxy. */
const throughProxy =
  (url: string, work: (link: Link, proxy: BrokerProxy) => Promise<void>, query = '') =>
  async () => {
    const proxy = await openProxy(url);
    const limits = { openingMs: 500, closingMs: 200 };
    const link = await openLink({ url: `${proxy.url}${query}`, name: 'test', logger: silent, ...limits });
    try {
      await work(link, proxy);
    } finally {
      await link.close();
      await proxy.close();
    }
  };

describeWithBroker('a connection to RabbitMQ', (url) => {
  test(
    'that falls silent while its channels are opened is closed and replaced',
    throughProxy(
      url,
      async (link, proxy) => {
        let attempts = 0;
        const open = async (channel: ConfirmChannel) => {
          attempts++;
          if (attempts === 1) proxy.freeze();
          await channel.prefetch(1);
        };
        await link.attach({ name: 'test', open, lost() {} }, 0);
        await until('another channel', () => attempts >= 2 && link.isUp());
        await link.established(60_000);
      },
      '?heartbeat=1',
    ),
  );

  test(
    'that is cut at any moment of its opening is reopened',
    throughProxy(url, async (link, proxy) => {
      let opened = 0;
      const open = async (channel: ConfirmChannel) => {
        await channel.prefetch(1);
        opened++;
      };
      await link.attach({ name: 'test', open, lost() {} }, 60_000);
      const pieces = proxy.pieces;
      for (let moment = 0; moment <= pieces; moment += 3) {
        proxy.cut();
        proxy.mend();
        await proxy.cutAfter(moment);
        const before = opened;
        proxy.mend();
        await until(`an opening after cut ${moment}`, () => opened > before && link.isUp());
      }
      expect(pieces).toBeGreaterThan(5);
    }),
  );

  test(
    'closes in time although the broker is silent',
    throughProxy(url, async (link, proxy) => {
      await link.established(60_000);
      proxy.freeze();
      await link.close();
    }),
  );
});
