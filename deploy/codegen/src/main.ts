import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Family, generatePartnerModules, generateServiceClient, type Released } from './clients.ts';
import type { Description } from './index.ts';

// npm run setup: writes the `generated` folders from the descriptions in the `released` ones. It runs before anything
// else can, so it loads no service: a service does not load without its generated clients.

const ROOT = new URL('../../../', import.meta.url);

const fileOf = (path: string): URL => new URL(path, ROOT);

const descriptionAt = (path: string): Description => JSON.parse(readFileSync(fileOf(path), 'utf8'));

/** The sources of a folder of generated modules, by path from the root of the repository. */
type Modules = ReadonlyMap<string, string>;

/** A row of a list of services, as far as it is read here. */
interface Row {
  readonly name: string;
  readonly calls?: readonly string[];
}

const rowsAt = (path: string): readonly Row[] => JSON.parse(readFileSync(fileOf(path), 'utf8'));

const ofTeams = rowsAt('deploy/compose/services/services.json').filter(({ name }) =>
  existsSync(fileOf(`services/${name}/src`)),
);

/** The operations that each service calls, as `service.operationId`. */
const calls = new Map([...rowsAt('libs/runtime/services.json'), ...ofTeams].map((row) => [row.name, row.calls]));

/** What a service knows of each service that it calls. */
const modulesOf = async (caller: string, folder: string): Promise<Modules> => {
  const called = Map.groupBy(calls.get(caller) ?? [], (call) => call.split('.')[0] ?? '');
  const modules = [...called].map(async ([service, named]): Promise<[string, string]> => {
    const ids = named.map((call) => call.slice(service.length + 1));
    const released = descriptionAt(`services/${service}/released/internal.json`);
    return [`${folder}${service}.ts`, await generateServiceClient(released, service, ids)];
  });
  return new Map(await Promise.all(modules));
};

const releasedAt = (pattern: string, except: readonly string[] = []): Released =>
  globSync(pattern, { cwd: ROOT })
    .toSorted()
    .map((path): Released[number] => [basename(dirname(dirname(path))), descriptionAt(path)])
    .filter(([process]) => !except.includes(process));

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

/** What @boxoffice/client knows of both families. */
const partnerModulesIn = async (folder: string): Promise<Modules> => {
  const released = releasedAt('{gateway,authorizer,services/*}/released/openapi.json', ['pos']);
  const institution = await generatePartnerModules(released, INSTITUTION);
  const pointOfSale = await generatePartnerModules(releasedAt('services/pos/released/openapi.json'), POINT_OF_SALE);
  return new Map([
    [`${folder}types.ts`, institution.types],
    [`${folder}table.ts`, institution.table],
    [`${folder}pos-types.ts`, pointOfSale.types],
    [`${folder}pos-table.ts`, pointOfSale.table],
  ]);
};

const folders: Readonly<Record<string, (folder: string) => Promise<Modules>>> = {
  'authorizer/src/users/generated/': (folder) => modulesOf('authorizer', folder),
  'services/orders/src/clients/generated/': (folder) => modulesOf('orders', folder),
  'services/payments/src/clients/generated/': (folder) => modulesOf('payments', folder),
  'services/pos/src/clients/generated/': (folder) => modulesOf('pos', folder),
  'libs/client/src/generated/': partnerModulesIn,
  ...Object.fromEntries(
    ofTeams.map(({ name }) => [`services/${name}/src/generated/`, (folder: string) => modulesOf(name, folder)]),
  ),
};

for (const [folder, generate] of Object.entries(folders)) {
  const modules = await generate(folder);
  mkdirSync(fileOf(folder), { recursive: true });
  for (const [path, source] of modules) writeFileSync(fileOf(path), source);
  for (const name of readdirSync(fileOf(folder)))
    if (!modules.has(`${folder}${name}`)) rmSync(fileOf(`${folder}${name}`));
}
