import { collections, createRecordUsage, rangeOf, readUsage } from '@boxoffice/authorizer';
import { createMeter, type Metered, noSpool, type Report } from '@boxoffice/gateway';
import { testEngines } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';

const MINUTE = 60_000;

/** Half an hour before the end of a day, a month and a year. */
const START = Date.parse('2031-12-31T23:30:00Z');

/** So many that every gateway counts every kind of request in every minute. */
const REQUESTS = 360_000;
const MINUTES = 40;

const OPERATIONS = ['getCatalog', 'listProducts', 'getAvailability', 'createOrder'];
const STATUSES = [200, 200, 200, 404, 429, 503];

/** Request number `index` of a gateway: every combination of its members comes often. */
const requestOf = (index: number): Metered => {
  const isPublic = index % 3 !== 0;
  return {
    institution: index % 7 === 0 ? 'museum' : 'opera',
    apiKeyId: isPublic ? `key_${index % 5}` : null,
    clientId: isPublic ? null : `cli_${index % 4}`,
    userId: !isPublic && index % 2 === 0 ? `usr_${index % 11}` : null,
    operation: OPERATIONS[index % OPERATIONS.length] ?? '',
    status: STATUSES[index % STATUSES.length] ?? 0,
    admitted: isPublic && index % 2 === 0,
    bytes: index % 1_000,
  };
};

const logger = { info: () => undefined, warn: () => undefined };

interface Sums {
  requests: number;
  bytes: number;
}

/** What was counted and not lost, by institution and key. */
const createLedger = () => {
  const sums = new Map<string, Sums>();
  return {
    add({ institution, apiKeyId, bytes }: Metered) {
      const key = `${institution} ${apiKeyId}`;
      const known = sums.get(key);
      if (known) {
        known.requests += 1;
        known.bytes += bytes;
      } else sums.set(key, { requests: 1, bytes });
    },
    sums,
  };
};

describe.each(testEngines('authorizer', collections))('usage on $name', (engine) => {
  test(`the sums of ${REQUESTS} requests agree in every resolution, whatever was away, repeated or killed`, async () => {
    const { store, discard } = await engine.open();
    try {
      let now = START;
      const record = createRecordUsage(store, () => now);
      const ledger = createLedger();
      let sent = 0;
      const isAway = () => now >= START + 20 * MINUTE && now < START + 30 * MINUTE;
      const send = async (report: Report): Promise<void> => {
        sent += 1;
        // Away for ten minutes; at other times every fifth answer is lost.
        if (isAway()) throw new Error('the store is away');
        await record(report);
        if (sent % 5 === 0) throw new Error('the answer is lost');
      };
      const startMeter = () => createMeter({ send, spool: noSpool, logger, now: () => now });
      const gateways = [startMeter(), startMeter(), startMeter()];
      const perTurn = REQUESTS / MINUTES / gateways.length;
      for (let minute = 0; minute < MINUTES; minute += 1) {
        for (const [index, gateway] of gateways.entries()) {
          for (let each = 0; each < perTurn; each += 1) {
            const request = requestOf(minute * 31 + index * 7 + each);
            gateway.record(request);
            ledger.add(request);
          }
          // A killed gateway loses what it has counted since its last report, and no more.
          if (minute % 13 === 12 && index === 1 && !isAway()) {
            while (!(await gateway.flush()));
            for (let each = 0; each < 100; each += 1) gateway.record(requestOf(each));
            gateways[index] = startMeter();
          } else await gateway.flush();
        }
        now += MINUTE;
      }
      for (const gateway of gateways) while (!(await gateway.flush()));

      const query = { from: new Date(START).toISOString(), to: new Date(now).toISOString(), groupBy: 'apiKey' };
      for (const granularity of ['minute', 'hour', 'day'] as const) {
        const counted = new Map<string, Sums>();
        for (const institution of ['opera', 'museum']) {
          const range = rangeOf({ ...query, granularity }, now);
          const whole = { after: undefined, limit: Number.POSITIVE_INFINITY };
          const { items, totals } = await readUsage(store, institution, range, whole);
          expect(items.reduce((sum, item) => sum + item.requests, 0)).toBe(totals.requests);
          for (const { apiKeyId, requests: more, bytesOut } of items) {
            const key = `${institution} ${apiKeyId}`;
            const known = counted.get(key) ?? { requests: 0, bytes: 0 };
            counted.set(key, { requests: known.requests + more, bytes: known.bytes + bytesOut });
          }
        }
        expect([granularity, counted]).toEqual([granularity, ledger.sums]);
      }
    } finally {
      await discard();
    }
  }, 600_000);
});
