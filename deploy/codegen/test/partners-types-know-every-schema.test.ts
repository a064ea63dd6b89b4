import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('the types of the partners’ package have one unknown: any OpenAPI document', () => {
  const cwd = new URL('../../../libs/client/src/generated/', import.meta.url);
  const sources = globSync('*.ts', { cwd }).map((name) => readFileSync(new URL(name, cwd), 'utf8'));
  const found = sources.flatMap((source) => source.match(/.*\b(unknown|any)\b;.*/g) ?? []);
  expect(found.map((line) => line.trim())).toEqual(['[key: string]: unknown;']);
});
