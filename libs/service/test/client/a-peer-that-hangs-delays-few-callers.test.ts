import { expect, test } from '@jest/globals';
import { createBestEffort } from '../../src/client/best-effort.ts';

const never = () => new Promise<string>(() => undefined);

test('what is answered in time is answered; what fails is undefined, and asked again at once', async () => {
  const bestEffort = createBestEffort({ ms: 1_000 });
  expect(await bestEffort(async () => 'yes')).toBe('yes');
  expect(await bestEffort(() => Promise.reject(new Error('planted')))).toBeUndefined();
  expect(await bestEffort(async () => 'yes')).toBe('yes');
});

test('who never answers is waited for once, then by one caller after each pause, until it answers in time again', async () => {
  let clock = 0;
  const bestEffort = createBestEffort({ ms: 60, pauseMs: 5_000, now: () => clock });
  let asked = 0;
  const hanging = () => {
    asked += 1;
    return never();
  };
  const earliest = Date.now() + 50;
  expect(await bestEffort(hanging)).toBeUndefined();
  expect(Date.now()).toBeGreaterThanOrEqual(earliest);
  for (let visitor = 0; visitor < 100; visitor += 1) expect(await bestEffort(hanging)).toBeUndefined();
  expect(asked).toBe(1);
  clock = 5_000;
  const probe = bestEffort(hanging);
  expect(await bestEffort(async () => 'too early')).toBeUndefined();
  expect(await probe).toBeUndefined();
  expect(asked).toBe(2);
  clock = 9_999;
  expect(await bestEffort(async () => 'too early')).toBeUndefined();
  clock = 10_000;
  expect(await bestEffort(async () => 'back')).toBe('back');
  expect(await bestEffort(async () => 'back')).toBe('back');
});

test('an answer that comes too late changes nothing', async () => {
  const bestEffort = createBestEffort({ ms: 30, now: () => 0 });
  const { promise, resolve } = Promise.withResolvers<string>();
  expect(await bestEffort(() => promise)).toBeUndefined();
  resolve('late');
  await promise;
  expect(await bestEffort(async () => 'x')).toBeUndefined();
});
