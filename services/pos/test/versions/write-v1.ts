import { writeFileSync } from 'node:fs';
import { describeNow, publishedBelow } from './published.ts';

// Only for an unreleased version: a published one does not change.
const file = new URL('v1.json', import.meta.url);
writeFileSync(file, `${JSON.stringify(publishedBelow('/tnwr/v1', describeNow()), null, 2)}\n`);
