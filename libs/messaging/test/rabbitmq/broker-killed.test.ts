import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createLedger,
  createMemoryOutbox,
  first,
  probe,
  probes,
  reactOnce,
  silent,
  waitUntil,
} from '@boxoffice/messaging/conformance';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Bus, connectRabbitmq, startRelay } from '../../src/index.ts';

const control = process.env.TEST_RABBITMQ_CONTROL;
const run = promisify(execFile);

if (control === undefined || control === '') {
  describe('a broker that is killed', () => {
    test.skip('not exercised: TEST_RABBITMQ_CONTROL names no command to start and kill one', () => {});
  });
} else {
  describe('a broker that is killed', () => {
    let directory = '';
    let url = '';
    const broker = async (verb: string) => (await run(control, [verb, directory])).stdout.trim();

    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'boxoffice-rabbitmq-'));
      url = await broker('start');
    });
    afterAll(async () => {
      await broker('stop');
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    });

    test('in the middle of publishing and consuming loses no fact, and no fact takes effect twice', async () => {
      const options = { url, logger: silent, declared: probes, retryDelaysMs: [50, 100, 200] };
      const publisher = await connectRabbitmq({ ...options, confirmTimeoutMs: 3_000 });
      const consumer = await connectRabbitmq(options);
      await broker('sync');
      const ledger = createLedger();
      const react = reactOnce(ledger);
      let deliveries = 0;
      await consumer.subscribe(first, async (message, attempt) => {
        deliveries++;
        if (message.version % 97 === 0 && attempt === 1) throw new Error('planted');
        await react(message, attempt);
      });
      const outbox = createMemoryOutbox();
      const own = outbox.process();
      let confirmed = 0;
      const confirming: Pick<Bus, 'publish' | 'ping'> = {
        ping: () => publisher.ping(),
        async publish(message) {
          await publisher.publish(message);
          confirmed++;
        },
      };
      const relay = startRelay({ ...own, outbox: own, bus: confirming, logger: silent });

      let committed = 0;
      let open = true;
      // There are always messages in flight, never more than the broker accepts in a moment.
      const commit = () => {
        for (; committed - confirmed < 50; committed++) outbox.commit(own, [probe({ key: `key-${committed % 40}` })]);
        if (open) setTimeout(commit, 5);
      };
      commit();
      const reached = (count: number) => waitUntil(`${count} effects`, () => ledger.effects.size >= count);
      const isUnderWay = () => committed > confirmed;

      await reached(300);
      await waitUntil('messages that the broker has to confirm', isUnderWay);
      await broker('kill');
      await waitUntil('messages that no broker confirms', isUnderWay);
      const before = ledger.effects.size;
      await broker('start');
      await reached(before + 300);
      open = false;
      await waitUntil('every fact', () => ledger.effects.size === committed);
      await waitUntil('an empty outbox', () => outbox.pending.size === 0);
      expect([...ledger.effects.values()].every((count) => count === 1)).toBe(true);
      expect(deliveries).toBeGreaterThanOrEqual(committed);
      expect(await consumer.deadLetters.list()).toEqual([]);
      await relay.close();
      await Promise.all([publisher.close(), consumer.close()]);
    });
  });
}
