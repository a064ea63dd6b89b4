import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { describeStoreConformance, suiteCollections, things } from '../../src/conformance/index.ts';
import { createSqliteEngine } from './engine.ts';

describeStoreConformance('SQLite', createSqliteEngine);

// Starts, writes and stops, like a product beside which another one is started.
const program = `
  const [engine, subject] = await Promise.all([import(process.argv[1]), import(process.argv[2])]);
  const store = await engine.openStore(JSON.parse(process.argv[3]), subject.suiteCollections);
  const mine = store.collection(subject.things).of('inst');
  for (let i = 0; i < 5; i++) await mine.insert({ id: process.pid + '-' + i, name: 'x' });
  await store.close();
`;

test('four concurrent starts on an empty directory create the file once, and all write', async () => {
  const engine = await createSqliteEngine();
  const subject = new URL('../../src/conformance/subject.ts', import.meta.url).href;
  const words = [String(engine.child.module), subject, JSON.stringify(engine.child.settings)];
  const run = () =>
    promisify(execFile)(process.execPath, ['--conditions=source', '--input-type=module', '-e', program, ...words]);
  const outputs = await Promise.all(Array.from({ length: 4 }, run));
  expect(outputs.map((one) => one.stderr)).toEqual(['', '', '', '']);
  const store = await engine.open(suiteCollections);
  expect(await store.collection(things).of('inst').count({ name: 'x' })).toBe(20);
  await store.close();
  await engine.remove();
});
