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
  messages: ['webhook.test'],
  hasPublic: true,
  has: ({ operationId }) => !OF_POINTS_OF_SALE.includes(operationId),
};

const POINT_OF_SALE: Family = {
  from: 'the released description of the point-of-sale API',
  code: 'errorCode',
  messages: [],
  hasPublic: false,
  has: () => true,
};

/** The sources of the package's generated modules, by path from the root of the repository. */
export const partnerFiles = async (): Promise<ReadonlyMap<string, string>> => {
  const released = releasedAt('{gateway,authorizer,services/*}/released/openapi.json', ['pos']);
  const institution = await partnerModules(released, INSTITUTION);
  const pointOfSale = await partnerModules(releasedAt('services/pos/released/openapi.json'), POINT_OF_SALE);
  return new Map([
    [`${PARTNER_FOLDER}types.ts`, institution.types],
    [`${PARTNER_FOLDER}table.ts`, institution.table],
    [`${PARTNER_FOLDER}pos-types.ts`, pointOfSale.types],
    [`${PARTNER_FOLDER}pos-table.ts`, pointOfSale.table],
  ]);
};
