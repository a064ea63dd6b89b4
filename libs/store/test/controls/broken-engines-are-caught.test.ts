import { describe, expect, test } from '@jest/globals';
import { type Check, openSubject, topics } from '../../src/conformance/index.ts';
import type { Store } from '../../src/index.ts';
import { createSqliteEngine } from '../sqlite/engine.ts';
import {
  type KilledDouble,
  makeClaimsEndless,
  removeAtomicClaim,
  removeCompareAndSwap,
  removeConditionalClaim,
  removeConditionalEnd,
  removeFirstAnswerCheck,
  removeIdempotencyRecords,
  removeShapes,
  removeTenantFilter,
  removeTieBreak,
  separateIdempotencyRecords,
  writeEventsFirst,
} from './doubles.ts';

const DOUBLES = new URL('./doubles.ts', import.meta.url).href;

/** Runs checks against the SQLite engine behind a double; returns the rules that it breaks, with the messages. */
const failing = async (
  checks: readonly Check[],
  double: (store: Store) => Store,
  killed?: KilledDouble,
): Promise<Map<string, string>> => {
  const engine = await createSqliteEngine();
  const settings = { ...(engine.child.settings as object), double: killed };
  const subject = await openSubject({
    ...engine,
    open: async (...given) => double(await engine.open(...given)),
    child: killed ? { module: DOUBLES, settings } : engine.child,
  });
  const broken = new Map<string, string>();
  for (const check of checks) {
    await check.run(subject).catch((error: unknown) => broken.set(check.rule, String(error)));
  }
  await subject.close();
  return broken;
};

/** The check with this rule. */
const checkOf = (checks: readonly Check[], part: string): Check => {
  const found = checks.find(({ rule }) => rule.includes(part));
  if (!found) throw new Error(`there is no rule with "${part}"`);
  return found;
};

const checks = (topic: string): readonly Check[] => topics[topic] ?? [];
const intact = (store: Store) => store;

/** Expects that a double breaks exactly the checks of a topic whose rules contain these parts. */
const breaks = async (topic: string, double: (store: Store) => Store, parts: readonly string[]) => {
  const broken = await failing(checks(topic), double);
  const expected = parts.map((part) => checkOf(checks(topic), part).rule);
  expect([...broken.keys()].sort()).toEqual(expected.sort());
};

describe('the suite catches an engine', () => {
  test('that drops the tenant filter', () =>
    breaks('tenants', removeTenantFilter, [
      'get, find and count see their own institution only',
      'does not match other institutions',
      'update and delete leave',
      'a claim takes documents of its own institution only',
      'an id belongs to one institution',
    ]));

  test('that skips the compare-and-swap', () => breaks('updates', removeCompareAndSwap, ['64 concurrent increments']));

  test('that returns documents in the stored shape', () =>
    breaks('shapes', removeShapes, ['every read returns', 'an update gets the new shape']));

  test('that claims in two steps', async () => {
    const broken = await failing([checkOf(checks('claims'), '300 concurrent')], removeAtomicClaim);
    expect([...broken.values()]).toEqual([expect.stringContaining('200 claimers get one place each')]);
  });

  test('that ends work whatever has become of it since it was claimed', async () => {
    const rules = [
      checkOf(checks('work'), 'is not ended by an earlier claim'),
      checkOf(checks('work'), 'renews, postpones and ends'),
    ];
    expect((await failing(rules, removeConditionalEnd)).size).toBe(2);
  });

  test('that gives one work to many who claim at once', async () => {
    const broken = await failing([checkOf(checks('work'), 'of many who claim at once')], removeConditionalClaim);
    expect(broken.size).toBe(1);
  });

  test('whose claims forget their end', async () => {
    const broken = await failing([checkOf(checks('work'), 'a claim ends by itself')], makeClaimsEndless);
    expect(broken.size).toBe(1);
  });

  test('that writes events before their document', async () => {
    const rules = [
      checkOf(checks('outbox'), 'a refused write leaves no event'),
      checkOf(checks('uniqueness'), 'of 50'),
    ];
    expect((await failing(rules, writeEventsFirst)).size).toBe(2);
  });

  test('that forgets idempotency records', () =>
    breaks('idempotencyRecords', removeIdempotencyRecords, [
      'a repeat is refused',
      'a change may be written without the record',
      'of 20 concurrent updates',
      'sixty remembered answers',
      'the answer is derived from the document',
      'a key is free again after it expired',
      'a repeat is refused as taken also',
      'a key that has an answer without a write',
      'a refusal whose key an effect carries',
      'a write can delete the answers',
    ]));

  test('that writes idempotency records before or after their document', async () => {
    const [refused, repeat] = [
      checkOf(checks('idempotencyRecords'), 'leaves its key free'),
      checkOf(checks('idempotencyRecords'), 'a repeat is'),
    ];
    expect((await failing([refused], separateIdempotencyRecords('before'))).size).toBe(1);
    expect((await failing([repeat], separateIdempotencyRecords('after'))).size).toBe(1);
  });

  test('that remembers answers in two steps', async () => {
    const rules = [checkOf(checks('idempotency'), 'of 30 concurrent answers')];
    expect((await failing(rules, removeFirstAnswerCheck)).size).toBe(1);
  });

  test('that pages without a tie-break', async () => {
    const broken = await failing([checkOf(checks('pages'), 'the pages over ties')], removeTieBreak);
    expect(broken.size).toBe(1);
  });
});

describe('the suite catches a writer that, when killed,', () => {
  const killed = checkOf(checks('crashes'), 'after 150');

  test('had events still to write', async () => {
    const broken = await failing([killed], intact, 'late-events');
    expect([...broken.values()]).toEqual([expect.stringMatching(/events of thing-|ghost event/)]);
  });

  test('had acknowledged an insert that it had not written', async () => {
    const broken = await failing([killed], intact, 'early-acknowledgement');
    expect([...broken.values()]).toEqual([expect.stringMatching(/acknowledged version \d+ of thing-.* is lost/)]);
  });
});

test('the same checks pass on the intact engine with the same wrapper', async () => {
  for (const topic of ['tenants', 'updates', 'idempotencyRecords'])
    expect(await failing(checks(topic), intact)).toEqual(new Map());
});
