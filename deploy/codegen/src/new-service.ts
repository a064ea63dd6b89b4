// npm run new-service: a service of a team's own, written from the templates of `new-service/`.
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listRights } from '@boxoffice/messaging';
import { parseRows, RowsFault, type ServiceRow } from '@boxoffice/runtime/services';

const TEMPLATES = new URL('../new-service', import.meta.url).pathname;

const ROWS = 'deploy/compose/services/services.json';
const RIGHTS = 'deploy/compose/broker-rights.json';
const COMPONENT = 'deploy/kubernetes/services';

/** What keeps a service from being written, with the remedy. */
class Unwritable extends Error {
  override readonly name = 'Unwritable';
}

const rowOf = (name: string): Partial<ServiceRow> => ({
  name,
  url: `http://${name}:8081`,
  prefixes: [`/svc/v3/${name}`],
  domains: [name],
  calls: ['contacts.getContactInternally'],
  consumes: ['order.confirmed'],
});

const pascal = (name: string): string =>
  name
    .split('-')
    .map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`)
    .join('');

const asJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The lock file with the importer of the service: the packages that it has are also those of contacts. */
const withImporter = (lock: string, name: string, manifest: string): string => {
  const { dependencies } = JSON.parse(manifest) as { readonly dependencies: Readonly<Record<string, string>> };
  const importers = lock.match(/^ {2}services\/\S+:\n(?: {4}.*\n)+/gm) ?? [];
  const model = importers.find((one) => one.startsWith('  services/contacts:')) ?? '';
  const entries = (model.match(/^ {6}\S+:\n(?: {8}.*\n)+/gm) ?? []).filter((entry) =>
    Object.keys(dependencies).includes(entry.slice(0, entry.indexOf(':\n')).trim().replaceAll("'", '')),
  );
  const own = `  services/${name}:\n    dependencies:\n${entries.join('')}`;
  const next = importers.find((one) => one > own);
  if (next !== undefined) return lock.replace(next, () => `${own}\n${next}`);
  const last = importers.at(-1) ?? '';
  return lock.replace(last, () => `${last}\n${own}`);
};

const KUSTOMIZATION = `\
# The services of teams: an overlay lists this folder among its components. \`npm run new-service\` adds a resource.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component

components:
  - ../components/services-of-teams

resources: []
`;

const withResource = (kustomization: string, name: string): string =>
  kustomization.replace(/^resources:(?: \[\])?\n/m, (line) => `${line.replace(' []', '')}  - ${name}.yaml\n`);

/** Returns the paths of the files that it wrote or changed. @throws {Unwritable} for a name that it cannot have */
export function writeService(root: string, name: string): string[] {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(name))
    throw new Unwritable(`"${name}" is no name; give up to 40 lower-case letters, digits and hyphens, like loyalty`);
  const read = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  const rows: readonly { readonly name: string }[] = JSON.parse(read(ROWS) ?? '[]');
  if (existsSync(join(root, 'services', name)) || parseRows('[]').some((one) => one.name === name))
    throw new Unwritable(`there is a service ${name} already; choose another name`);
  const listed = asJson([...rows.filter((one) => one.name !== name), rowOf(name)]);
  const all = ((): readonly ServiceRow[] => {
    try {
      return parseRows(listed);
    } catch (error) {
      if (error instanceof RowsFault) throw new Unwritable(`${error.message}; or choose another name`);
      throw error;
    }
  })();

  const fill = (text: string): string =>
    text
      .replaceAll('{{name}}', name)
      .replaceAll('{{Name}}', pascal(name))
      .replaceAll('{{tag}}', name.includes('-') ? `'${name}'` : name);
  const template = (path: string): string => fill(readFileSync(join(TEMPLATES, path), 'utf8'));

  const files = new Map<string, string>();
  for (const path of globSync('service/**/*.template', { cwd: TEMPLATES }).toSorted())
    files.set(path.replace(/^service/, `services/${name}`).replace(/\.template$/, ''), template(path));
  files.set(ROWS, listed);
  files.set(RIGHTS, asJson(listRights(all)));
  files.set(`deploy/compose/${name}.yml`, template('deployment/compose.yml.template'));
  files.set(`${COMPONENT}/${name}.yaml`, template('deployment/kubernetes.yaml.template'));
  const kustomization = read(`${COMPONENT}/kustomization.yaml`) ?? KUSTOMIZATION;
  files.set(`${COMPONENT}/kustomization.yaml`, withResource(kustomization, name));
  const manifest = files.get(`services/${name}/package.json`) ?? '{}';
  files.set('pnpm-lock.yaml', withImporter(read('pnpm-lock.yaml') ?? '', name, manifest));

  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return [...files.keys()];
}

// npm run new-service -- NAME: writes a service of a team's own into this repository.
if (import.meta.main) {
  const ROOT = new URL('../../../', import.meta.url).pathname;
  const [name = ''] = process.argv.slice(2);

  const run = (command: string, ...args: string[]): void => {
    const { status, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Unwritable(`the files are written, but ${command} ${args.join(' ')} failed: ${stderr}`);
  };

  const steps = `
It has the points of a contact; put what you need in their place. Then:

  npm test -- services/${name}
  npm run service -- ${name}    with MONGODB_URL, AMQP_URL, AUTHORIZER_URL, CONTACTS_URL, SERVICE_SECRET and SERVICES_FILE
  docker compose -f docker-compose.yml -f deploy/compose/${name}.yml up -d --build
  kubectl apply -k …            once your overlay lists ${COMPONENT} among its components, and the ConfigMap
                                boxoffice-services has ${ROWS}

The Compose file does the following by itself; elsewhere SERVICES_FILE is ${ROWS}, and before the service starts:

  npm run operator -- topology declare              its queue, ${name}.facts.v1
  npm run operator -- topology rights               those of its user at RabbitMQ
  npm run operator -- service-secrets ${name}

Then give a client its scopes:

  npm run operator -- clients create INSTITUTION --name NAME --scopes ${name}:read,${name}:write

docs/own-service.md has the contract, docs/services-file.md the row. npm start runs the product's own services only.
`;

  try {
    const written = writeService(ROOT, name);
    run('node_modules/.bin/biome', 'check', '--write', `services/${name}`, 'deploy/compose');
    run('npm', 'run', '--silent', 'setup');
    process.stdout.write(`${written.map((path) => `wrote ${path}`).join('\n')}\n${steps}`);
  } catch (error) {
    if (!(error instanceof Unwritable)) throw error;
    process.stderr.write(`new-service: ${error.message}\n`);
    process.exitCode = 1;
  }
}
