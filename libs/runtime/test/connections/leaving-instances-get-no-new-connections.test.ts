import type { LookupAddress } from 'node:dns';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { createInstances } from '../../src/index.ts';

const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((address) => ({ address, family: 4 }));

const setUp = () => {
  const clock = { at: 0 };
  const instances = createInstances({
    forgottenAfterMs: 1_000,
    now: () => clock.at,
    resolve: (_name, done) => done(null, addresses),
  });
  const all = promisify<string, object, LookupAddress[]>(
    instances.lookup as unknown as (
      name: string,
      options: object,
      done: (error: Error | null, found: LookupAddress[]) => void,
    ) => void,
  );
  const found = async () => (await all('orders', { all: true })).map(({ address }) => address);
  return { ...instances, clock, found };
};

describe('instances behind one name', () => {
  test('are all resolved, except those that are leaving', async () => {
    const { found, leaving } = setUp();
    expect(await found()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3']);
    leaving('10.0.0.2');
    leaving(undefined);
    expect(await found()).toEqual(['10.0.0.1', '10.0.0.3']);
  });

  test('count again after a while; if all are leaving, all are resolved', async () => {
    const { found, leaving, clock } = setUp();
    for (const { address } of addresses) leaving(address);
    expect(await found()).toHaveLength(3);
    clock.at = 500;
    leaving('10.0.0.3');
    clock.at = 1_200;
    expect(await found()).toEqual(['10.0.0.1', '10.0.0.2']);
  });

  test('resolve to the first that stays if one is requested, and pass an error on', async () => {
    const { lookup, leaving } = setUp();
    leaving('10.0.0.1');
    const one = new Promise((resolve) => lookup('orders', {}, (_error, address, family) => resolve([address, family])));
    expect(await one).toEqual(['10.0.0.2', 4]);
    const lost = createInstances({ resolve: (_name, done) => done(new Error('no such name'), []) });
    const error = new Promise((resolve) => lost.lookup('orders', { all: true }, (failed) => resolve(failed?.message)));
    expect(await error).toBe('no such name');
  });
});
