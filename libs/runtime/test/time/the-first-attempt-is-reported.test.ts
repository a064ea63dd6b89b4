import { expect, test } from '@jest/globals';
import { persistently } from '../../src/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** The events of an engine, in order, whose attempts end as the test decides. */
const begin = () => {
  const attempts: PromiseWithResolvers<string>[] = [];
  const events: string[] = [];
  const engine = persistently('engine', silent, () => {
    const attempt = Promise.withResolvers<string>();
    attempts.push(attempt);
    return attempt.promise;
  });
  void engine.tried.then(() => events.push('tried'));
  void engine.opened.then(
    () => events.push('opened'),
    () => events.push('cancelled'),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { attempts, events, engine, turn };
};

test('an engine has been tried when its first attempt has ended, successful or not', async () => {
  const { attempts, events, engine, turn } = begin();
  await turn();
  expect(events).toEqual([]);
  attempts[0]?.reject(new Error('planted'));
  await turn();
  expect(events).toEqual(['tried']);
  while (attempts.length < 2) await turn();
  attempts[1]?.resolve('there');
  expect(await engine.opened).toBe('there');
  expect(events).toEqual(['tried', 'opened']);
});

test('cancel does not wait for an attempt', async () => {
  const { events, engine, turn } = begin();
  engine.cancel();
  await turn();
  expect(events.toSorted()).toEqual(['cancelled', 'tried']);
});
