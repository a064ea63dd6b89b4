import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { refusals, shopReasons } from '../../src/domain/decisions.ts';
import type { Reason as CatalogReason } from '../fixture/catalog.ts';

const src = new URL('../../src/', import.meta.url);
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && path !== 'domain/decisions.ts')
  .map((path) => readFileSync(new URL(path, src), 'utf8'));

/** What the catalog refuses keeps its reason. */
const ofCatalog: Readonly<Record<CatalogReason, true>> = {
  invalid_reference: true,
  not_on_sale: true,
  places_unavailable: true,
  tariff_not_sold_here: true,
  too_many_places: true,
};

test('each row is given by a rule, a limit or the catalog', () => {
  const given = sources.flatMap((text) =>
    [...text.matchAll(/(?:refus(?:e|al)\(\s*|reason: )'(?<reason>\w+)'/g)].map(({ groups }) => groups?.reason),
  );
  expect(new Set([...given, ...Object.keys(ofCatalog)])).toEqual(new Set(Object.keys(refusals)));
});

test('a reason in answers to the point of sale maps to itself where the table has it', () => {
  const rows: Readonly<Record<string, { readonly shopReason: string | null }>> = refusals;
  const others = shopReasons.filter((reason) => !(reason in rows));
  expect(others).toEqual(['busy']);
  for (const reason of shopReasons) expect(rows[reason]?.shopReason ?? reason).toBe(reason);
});
