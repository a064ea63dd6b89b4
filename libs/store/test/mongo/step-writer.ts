import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { suiteCollections } from '../../src/conformance/subject.ts';
import { openMongoStore } from '../../src/index.ts';
import { type Errand, runErrand } from './steps.ts';

// The program that killed-between-steps.test.ts starts and kills.

const { url, name, errand } = JSON.parse(process.argv[2] ?? '{}') as { url: string; name: string; errand: Errand };
const store = await openMongoStore({ url, name, collections: suiteCollections });
// A killed process would leave no compiled code to the next one.
flushCompileCache();
writeSync(1, 'open\n');
await runErrand(store, errand, (event) => writeSync(1, `${JSON.stringify(event)}\n`));
await store.close();
writeSync(1, 'finished\n');
