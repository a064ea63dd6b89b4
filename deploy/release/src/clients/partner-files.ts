import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Family, partnerModules, type Released } from './partners.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** The folder of the generated part of @boxoffice/client. */
export const PARTNER_FOLDER = 'libs/client/src/generated/';

const releasedAt = (pattern: string, leftOut: readonly string[] = []): Released =>
  globSync(pattern, { cwd: ROOT })
    .toSorted()
    .map((file) => [basename(dirname(dirname(file))), JSON.parse(readFileSync(new URL(file, ROOT), 'utf8'))] as const)
    .filter(([process]) => !leftOut.includes(process));

/** Descriptions of the other family, which the gateway serves. */
const OF_POINTS_OF_SALE = ['describePointOfSaleApi', 'describeExperimentalPointOfSaleApi'];

const INSTITUTION: Family = {
  from: 'the released descriptions of the institution API',
  code: 'status',
  has: ({ operationId }) => !OF_POINTS_OF_SALE.includes(operationId),
};

/** The sources of the package's generated modules, by path from the root of the repository. */
export const partnerFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const released = releasedAt('{gateway,authorizer,services/*}/released/openapi.json', ['pos']);
  const { types, table } = await partnerModules(released, INSTITUTION);
  return new Map([
    [`${PARTNER_FOLDER}types.ts`, types],
    [`${PARTNER_FOLDER}table.ts`, table],
  ]);
};
