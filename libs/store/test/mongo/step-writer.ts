import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { suiteCollections } from '../../src/conformance/subject.ts';
import { openMongoStore } from '../../src/index.ts';
import { runScenario, type Scenario } from './steps.ts';

// The program that killed-between-steps.test.ts starts and kills.

const { url, name, scenario } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  name: string;
  scenario: Scenario;
};
const store = await openMongoStore({ url, name, collections: suiteCollections });
// A killed process would leave no compiled code to the next one.
flushCompileCache();
writeSync(1, 'open\n');
await runScenario(store, scenario, (event) => writeSync(1, `${JSON.stringify(event)}\n`));
await store.close();
writeSync(1, 'finished\n');
