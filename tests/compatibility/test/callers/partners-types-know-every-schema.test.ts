import { expect, test } from '@jest/globals';
import { partnerFiles } from '../../src/clients/partner-files.ts';

test('the types of the partners’ package have one unknown: any OpenAPI document', async () => {
  const sources = [...(await partnerFiles()).values()];
  const found = sources.flatMap((source) => source.match(/.*\b(unknown|any)\b;.*/g) ?? []);
  expect(found.map((line) => line.trim())).toEqual(['[key: string]: unknown;']);
});
