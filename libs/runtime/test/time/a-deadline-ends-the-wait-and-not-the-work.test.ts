import { within } from '@boxoffice/runtime';
import { describe, expect, it } from '@jest/globals';

const MUCH_MS = 60_000;

describe('a deadline', () => {
  it('settles like a promise that is in time', async () => {
    const late = () => 'late';
    await expect(within(Promise.resolve('value'), MUCH_MS, late)).resolves.toBe('value');
    await expect(within(Promise.reject(new Error('failed')), MUCH_MS, late)).rejects.toThrow('failed');
  });

  it('settles like `late` for a promise that is late', async () => {
    const never = new Promise<string>(() => undefined);
    await expect(within(never, 1, () => 'late')).resolves.toBe('late');
    await expect(within(never, 1, async () => 'late')).resolves.toBe('late');
    const refused = within(never, 1, () => {
      throw new Error('not within 1 ms');
    });
    await expect(refused).rejects.toThrow('not within 1 ms');
  });

  it('lets the work continue, and its later failure is not an unhandled rejection', async () => {
    const work = Promise.withResolvers<string>();
    await within(work.promise, 1, () => undefined);
    work.reject(new Error('too late to matter'));
    await expect(work.promise).rejects.toThrow('too late to matter');
  });
});
