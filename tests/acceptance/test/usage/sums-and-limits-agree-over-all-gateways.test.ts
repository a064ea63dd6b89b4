import { collections, createDivideLimits, createRecordUsage, parseUsageRange, readUsage } from '@boxoffice/authorizer';
import {
  createMeter,
  createSlidingLimiter,
  type Metered,
  noSpool,
  type Report,
  type SlidingLimiter,
} from '@boxoffice/gateway';
import { listTestEngines } from '@boxoffice/service/testkit';
import { describe, expect, test } from '@jest/globals';

const MINUTE = 60_000;

/** Half an hour before the end of a day, a month and a year. */
const EVE = Date.parse('2031-12-31T23:30:00Z');

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

describe.each(listTestEngines('authorizer', collections))('usage on $name', (engine) => {
  test(`the sums of ${REQUESTS} requests agree in every resolution, whatever was away, repeated or killed`, async () => {
    const { store, discard } = await engine.open();
    try {
      let now = EVE;
      const record = createRecordUsage(store, () => now);
      const ledger = createLedger();
      let sent = 0;
      const isAway = () => now >= EVE + 20 * MINUTE && now < EVE + 30 * MINUTE;
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

      const query = { from: new Date(EVE).toISOString(), to: new Date(now).toISOString(), groupBy: 'apiKey' };
      for (const granularity of ['minute', 'hour', 'day'] as const) {
        const counted = new Map<string, Sums>();
        for (const institution of ['opera', 'museum']) {
          const range = parseUsageRange({ ...query, granularity }, now);
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

const LIMIT = 1_200;
const SECOND = 1_000;
const STEP = 100;
const REPORT_EVERY = 5 * SECOND;

const START = Date.parse('2031-06-01T12:00:00Z');

/** Requests per second at each gateway, as of a time since the start. */
type Load = (at: number) => readonly number[];

const jumping: Load = (at) => [0, 1, 2].map((index) => (Math.floor(at / (25 * SECOND)) % 3 === index ? 100 : 0));
const moving: Load = (at) => {
  if (at < 2 * MINUTE) return [60, 0, 0];
  return at < 4 * MINUTE ? [0, 60, 0] : [20, 10, 1];
};
const even: Load = () => [40, 40, 40];
const small: Load = () => [6, 5, 4];

interface Gateway {
  readonly limiter: SlidingLimiter;
  isReportDue: boolean;
  reportedAt: number;
  owed: number;
}

/** What each gateway admits and refuses of a load, as epoch milliseconds; `cut`: whether it hears nothing at a time. */
const admissions = async (
  divide: ReturnType<typeof createDivideLimits>,
  clock: { now: number },
  {
    load,
    minutes,
    limit = LIMIT,
    isRandom = false,
    cut = () => false,
  }: {
    load: Load;
    minutes: number;
    limit?: number;
    isRandom?: boolean;
    cut?: (index: number, at: number) => boolean;
  },
): Promise<{ admitted: number[][]; refused: number[][] }> => {
  const gateways = load(0).map((): Gateway => {
    const one: Gateway = {
      isReportDue: false,
      reportedAt: 0,
      owed: 0,
      limiter: createSlidingLimiter('client', (isUrgent) => {
        one.isReportDue ||= isUrgent || clock.now - one.reportedAt >= SECOND;
      }),
    };
    return one;
  });
  const admitted: number[][] = gateways.map(() => []);
  const refused: number[][] = gateways.map(() => []);
  for (let at = 0; at < minutes * MINUTE; at += STEP) {
    clock.now = START + at;
    for (const [index, one] of gateways.entries()) {
      const isTime = at % REPORT_EVERY === (index * 1_700) % REPORT_EVERY;
      if ((!isTime && !one.isReportDue) || cut(index, at)) continue;
      Object.assign(one, { isReportDue: false, reportedAt: clock.now });
      one.limiter.divide(await divide(`gateway-${index}`, one.limiter.rates(clock.now)), clock.now);
    }
    for (const [index, perSecond] of load(at).entries()) {
      const one = gateways[index];
      if (!one) continue;
      one.owed += ((perSecond * STEP) / SECOND) * (isRandom ? -Math.log(1 - random()) : 1);
      for (; one.owed >= 1; one.owed -= 1) {
        const { allowed } = one.limiter.take('cli_reseller', limit, clock.now);
        (allowed ? admitted : refused)[index]?.push(clock.now);
      }
    }
  }
  return { admitted, refused };
};

/** Equal in every run. */
let seed = 7;
const random = (): number => {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed / 2_147_483_647;
};

/** The most requests of any minute. */
const mostInAMinute = (times: readonly number[]): number => {
  const sorted = times.toSorted((one, other) => one - other);
  let most = 0;
  for (let first = 0, last = 0; last < sorted.length; last += 1) {
    while ((sorted[last] ?? 0) - (sorted[first] ?? 0) >= MINUTE) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
};

const inLastMinute = (times: readonly number[], end: number): number =>
  times.filter((time) => time >= end - MINUTE && time < end).length;

describe.each(listTestEngines('authorizer', collections))('the limit of a client on $name', (engine) => {
  const during = async (
    run: (divide: ReturnType<typeof createDivideLimits>, clock: { now: number }) => Promise<void>,
  ) => {
    const { store, discard } = await engine.open();
    const clock = { now: START };
    await run(
      createDivideLimits(store, () => clock.now),
      clock,
    ).finally(discard);
  };

  test.each([
    ['jumps between three gateways', jumping, 4],
    ['moves from one gateway to another, then spreads', moving, 6],
    ['is even, and thrice the limit', even, 3],
  ])('holds in every minute within five per cent when the load %s', (_what, load, minutes) =>
    during(async (divide, clock) => {
      const all = (await admissions(divide, clock, { load, minutes })).admitted.flat();
      expect(mostInAMinute(all)).toBeLessThanOrEqual(LIMIT * 1.05);
      expect(inLastMinute(all, START + minutes * MINUTE)).toBeGreaterThan(LIMIT * 0.85);
    }),
  );

  test('holds when one of three gateways is killed after it has used the limit', () =>
    during(async (divide, clock) => {
      // Its load goes to the others.
      const load: Load = (at) => (at < 70 * SECOND ? [100, 10, 0] : [0, 60, 50]);
      const cut = (index: number, at: number): boolean => index === 0 && at >= 70 * SECOND;
      const all = (await admissions(divide, clock, { load, minutes: 4, cut })).admitted.flat();
      expect(mostInAMinute(all)).toBeLessThanOrEqual(LIMIT * 1.05);
      expect(inLastMinute(all, START + 4 * MINUTE)).toBeGreaterThan(LIMIT * 0.85);
    }));

  test.each([
    [60, 3, 0.03],
    [600, 6, 0.01],
  ])('of %i a minute over %i gateways, hardly a request is refused of a load of six tenths', (limit, gateways, most) =>
    during(async (divide, clock) => {
      const load: Load = () => Array.from({ length: gateways }, () => (limit * 0.6) / 60 / gateways);
      const { admitted, refused } = await admissions(divide, clock, { load, minutes: 5, limit, isRandom: true });
      expect(mostInAMinute(admitted.flat())).toBeLessThanOrEqual(Math.ceil(limit * 1.05));
      expect(refused.flat().length / admitted.flat().length).toBeLessThan(most);
    }),
  );

  test('refuses nothing of a load below it, however it is spread', () =>
    during(async (divide, clock) => {
      const { admitted, refused } = await admissions(divide, clock, { load: small, minutes: 3 });
      expect(refused).toEqual([[], [], []]);
      expect(Math.min(...admitted.map((times) => times.length))).toBeGreaterThan(600);
    }));

  test('is exact where one gateway serves', () =>
    during(async (divide, clock) => {
      const [times = []] = (await admissions(divide, clock, { load: () => [100], minutes: 3 })).admitted;
      expect(mostInAMinute(times)).toBe(LIMIT);
      expect(inLastMinute(times, START + 3 * MINUTE)).toBeGreaterThan(LIMIT * 0.98);
    }));

  test('at a gateway that hears nothing is its last share, then an equal one', () =>
    during(async (divide, clock) => {
      // The first gateway has nearly all of it when it is cut off.
      const load: Load = () => [60, 1, 1];
      const cut = (index: number, at: number): boolean => index === 0 && at > 2 * MINUTE;
      const [times = []] = (await admissions(divide, clock, { load, minutes: 5, cut })).admitted;
      expect(inLastMinute(times, START + 2 * MINUTE)).toBeGreaterThan(LIMIT * 0.8);
      expect(inLastMinute(times, START + 5 * MINUTE)).toBe(LIMIT / 3);
    }));
});
