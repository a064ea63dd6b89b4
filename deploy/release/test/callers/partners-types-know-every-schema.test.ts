import { expect, test } from '@jest/globals';
import { partnerFiles } from '../../src/clients/partner-files.ts';

/** An object of which nothing is described: the document itself, and the data of an answer that has none. */
const UNDESCRIBED = /\[(key|name): string\]: unknown/g;

test('the types of the partners’ package say nothing unknown where there is a schema', async () => {
  for (const [path, source] of await partnerFiles())
    expect([path, ...(source.replaceAll(UNDESCRIBED, '').match(/.*\b(unknown|any)\b;.*/g) ?? [])]).toEqual([path]);
});
