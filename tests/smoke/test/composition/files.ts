import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const repository = fileURLToPath(new URL('../../../../', import.meta.url));

/** A file of the repository. */
export const read = (path: string): string => readFileSync(join(repository, path), 'utf8');

/** A service of the product: a package with a main that listens. */
export interface Service {
  readonly name: string;
  readonly version: string;
}

/** Those of teams have files of their own. */
const folders = (JSON.parse(read('libs/runtime/services.json')) as { readonly name: string }[]).map(({ name }) =>
  existsSync(join(repository, 'services', name)) ? `services/${name}` : name,
);

/** Every service of the product in this checkout. */
export const services: readonly Service[] = folders
  .filter((folder) => existsSync(join(repository, folder, 'src/main.ts')))
  .map((folder) => ({
    name: String(folder.split('/').at(-1)),
    version: String(JSON.parse(read(`${folder}/package.json`)).version),
  }));

/** A container of the composition, as far as it is read here. */
export interface Container {
  readonly image: string;
  readonly build?: { readonly dockerfile: string; readonly args: Readonly<Record<string, string>> };
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly mem_limit?: string;
  readonly cpu_shares?: number;
  readonly pids_limit?: number;
  readonly restart?: string;
  readonly logging?: { readonly options: object };
  readonly user?: string;
}

/** The composition, with its anchors resolved. */
export const composition: {
  readonly services: Readonly<Record<string, Container>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean } | null>>;
  readonly volumes: Readonly<Record<string, null>>;
} = parse(read('docker-compose.yml'), { merge: true, maxAliasCount: -1 });

/** The names of all settings that the product's sources mention. */
export const knownSettings: ReadonlySet<string> = new Set(
  globSync('{libs,gateway,authorizer,services,deploy/operator,deploy/local}/**/src/**/*.ts', { cwd: repository })
    .filter((path) => !path.includes('node_modules'))
    .flatMap((path) => read(path).match(/'[A-Z][A-Z0-9_]+'/g) ?? [])
    .map((quoted) => quoted.slice(1, -1)),
);
