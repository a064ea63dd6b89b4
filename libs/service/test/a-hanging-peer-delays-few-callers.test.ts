import { expect, test } from '@jest/globals';
import { createBestEffort } from '../src/best-effort.ts';

const never = () => new Promise<string>(() => undefined);

test('a call returns an answer in time; a failed call is undefined, and the next one is made at once', async () => {
  const bestEffort = createBestEffort({ ms: 1_000 });
  expect(await bestEffort(async () => 'yes')).toBe('yes');
  expect(await bestEffort(() => Promise.reject(new Error('planted')))).toBeUndefined();
  expect(await bestEffort(async () => 'yes')).toBe('yes');
});

test('a hanging peer delays one caller, then one after each pause, until it answers in time again', async () => {
  let clock = 0;
  const bestEffort = createBestEffort({ ms: 60, pauseMs: 5_000, now: () => clock });
  let calls = 0;
  const hanging = () => {
    calls += 1;
    return never();
  };
  const earliest = Date.now() + 50;
  expect(await bestEffort(hanging)).toBeUndefined();
  expect(Date.now()).toBeGreaterThanOrEqual(earliest);
  for (let visitor = 0; visitor < 100; visitor += 1) expect(await bestEffort(hanging)).toBeUndefined();
  expect(calls).toBe(1);
  clock = 5_000;
  const probe = bestEffort(hanging);
  expect(await bestEffort(async () => 'too early')).toBeUndefined();
  expect(await probe).toBeUndefined();
  expect(calls).toBe(2);
  clock = 9_999;
  expect(await bestEffort(async () => 'too early')).toBeUndefined();
  clock = 10_000;
  expect(await bestEffort(async () => 'back')).toBe('back');
  expect(await bestEffort(async () => 'back')).toBe('back');
});

test('a late answer does not end the pause', async () => {
  const bestEffort = createBestEffort({ ms: 30, now: () => 0 });
  const { promise, resolve } = Promise.withResolvers<string>();
  expect(await bestEffort(() => promise)).toBeUndefined();
  resolve('late');
  await promise;
  expect(await bestEffort(async () => 'x')).toBeUndefined();
});
