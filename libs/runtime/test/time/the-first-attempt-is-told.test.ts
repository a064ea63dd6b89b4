import { expect, test } from '@jest/globals';
import { persistently } from '../../src/index.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** What has happened, in turn, to an engine whose attempts end as the test says. */
const begin = () => {
  const attempts: PromiseWithResolvers<string>[] = [];
  const happened: string[] = [];
  const engine = persistently('engine', silent, () => {
    const attempt = Promise.withResolvers<string>();
    attempts.push(attempt);
    return attempt.promise;
  });
  void engine.tried.then(() => happened.push('tried'));
  void engine.opened.then(
    () => happened.push('opened'),
    () => happened.push('given up'),
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { attempts, happened, engine, turn };
};

test('it has been tried when its first attempt has ended, also in vain, and not before', async () => {
  const { attempts, happened, engine, turn } = begin();
  await turn();
  expect(happened).toEqual([]);
  attempts[0]?.reject(new Error('planted'));
  await turn();
  expect(happened).toEqual(['tried']);
  while (attempts.length < 2) await turn();
  attempts[1]?.resolve('there');
  expect(await engine.opened).toBe('there');
  expect(happened).toEqual(['tried', 'opened']);
});

test('who gives up does not wait for it', async () => {
  const { happened, engine, turn } = begin();
  engine.giveUp();
  await turn();
  expect(happened.toSorted()).toEqual(['given up', 'tried']);
});
