import { writeSync } from 'node:fs';
import { openMongoStore } from '../../src/index.ts';

// The program that locks.test.ts starts and kills: it begins a request and never ends it.

const { url, name, key } = JSON.parse(process.argv[2] ?? '{}') as { url: string; name: string; key: string };
const store = await openMongoStore({ url, name, collections: [] });
const { state } = await store.idempotency.begin(key, 'print', Date.now() + 60_000);
writeSync(1, `${state}\n`);
setInterval(() => {}, 60_000);
