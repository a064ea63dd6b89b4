// Clients that generators make of the served descriptions, and the linters of these.

import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProduct } from '@boxoffice/acceptance';
import { openClient } from '@boxoffice/testkit';
import { isSuccessful, ROOT, run, runStep } from '../command.ts';

interface Language {
  readonly generator: string;
  readonly options?: string;
  readonly tool: readonly [program: string, ...args: string[]];
  /** Builds the client in the folder, with packages from the usual registry of the language. */
  build(folder: string): Promise<unknown>;
}

const pythonOf = (folder: string): string => join(folder, 'environment', 'bin', 'python');

/** For Go the generator names a list of texts and nulls, as one of several forms, `ArrayOf*string`. */
const nameNullableLists = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder)) {
    if (!name.endsWith('.go')) continue;
    const code = await readFile(join(folder, name), 'utf8');
    await writeFile(join(folder, name), code.replaceAll('ArrayOf*string', 'ArrayOfNullableString'));
  }
};

const TSC = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];

const languages: readonly Language[] = [
  {
    generator: 'python',
    tool: ['python3', '-m', 'venv', '--help'],
    async build(folder) {
      await run('python3', ['-m', 'venv', join(folder, 'environment')]);
      await run(pythonOf(folder), ['-m', 'pip', 'install', '--quiet', folder]);
      await run(pythonOf(folder), ['-W', 'error::SyntaxWarning', '-c', 'import openapi_client']);
    },
  },
  {
    generator: 'java',
    tool: ['mvn', '--version'],
    build: (cwd) => run('mvn', ['--quiet', '--batch-mode', '-DskipTests', 'compile'], { cwd }),
  },
  { generator: 'csharp', tool: ['dotnet', '--version'], build: (cwd) => run('dotnet', ['build', '-v', 'q'], { cwd }) },
  {
    generator: 'go',
    // Otherwise it tries every type of an event, and all but `type` looks alike.
    options: 'useOneOfDiscriminatorLookup=true',
    tool: ['go', 'version'],
    async build(cwd) {
      await nameNullableLists(cwd);
      await run('go', ['mod', 'tidy'], { cwd });
      await run('go', ['vet', '.'], { cwd });
    },
  },
  {
    generator: 'typescript-fetch',
    tool: ['node', '--version'],
    build: (cwd) => run('node', [join(ROOT, 'node_modules/typescript/bin/tsc'), ...TSC, 'index.ts'], { cwd }),
  },
];

/** Warnings of the generator that change nothing: names that a language reserves, and its own state. */
const HARMLESS = [
  /OpenAPI 3\.1 support is still in beta/,
  /reserved word/,
  /Failed to get the schema name: null/,
  /Codegen property is null \(e\.g\. map\/dict of undefined type\)/,
  /Ignoring complex example on request body/,
];

/** Generates a client into the folder. @throws {Error} on a failure, or on a warning that may matter */
const generate = async (
  jar: string,
  description: string,
  { generator, options = '' }: Language,
  folder: string,
): Promise<void> => {
  const wanted = ['generate', '-i', description, '-g', generator, '-o', folder, `--additional-properties=${options}`];
  // C# takes more than a gigabyte.
  const printed = await run('java', ['-Xmx1600m', '-jar', jar, ...wanted]);
  const warnings = printed.split('\n').filter((line) => / (WARN|ERROR) /.test(line));
  const serious = warnings.filter((line) => !HARMLESS.some((one) => one.test(line)));
  if (serious.length > 0) throw new Error(serious.join('\n'));
};

/** A generator of one language, beside openapi-generator. */
interface Generator {
  readonly name: string;
  readonly tool: readonly [program: string, ...args: string[]];
  /** Generates and builds a client; returns the command that lists tickets with one of the institution API. */
  make(description: string, folder: string): Promise<readonly [program: string, ...args: string[]]>;
}

const script = (name: string): string => new URL(name, import.meta.url).pathname;

/** What openapi-python-client says of a document that is no JSON; every other warning means a missing type. */
const DOCUMENT = /WARNING parsing GET \/svc\/v3\/tickets\/\{ticketId\}\/document /;

/** The interface has a resource `Client`, so the generated client needs another name; messages of webhooks stay. */
const OAPI_CODEGEN = `package: api
output: api/client.go
generate: {models: true, client: true}
output-options: {client-type-name: ApiClient, skip-prune: true}
`;

const generators: readonly Generator[] = [
  {
    name: 'openapi-python-client',
    tool: ['python3', '-m', 'venv', '--help'],
    async make(description, folder) {
      const [python, client] = [pythonOf(folder), join(folder, 'client')];
      await run('python3', ['-m', 'venv', join(folder, 'environment')]);
      await run(python, ['-m', 'pip', 'install', '--quiet', 'openapi-python-client==0.29.1', 'ruff==0.17.6']);
      const env = { PATH: `${join(folder, 'environment', 'bin')}:${process.env.PATH}` };
      const args = ['generate', '--path', description, '--output-path', client, '--meta', 'setup'];
      const printed = await run('openapi-python-client', args, { env });
      const warnings = printed.split('\n').filter((line) => /^WARNING |^Unable to /.test(line) && !DOCUMENT.test(line));
      if (warnings.length > 0) throw new Error(warnings.join('\n'));
      await run(python, ['-m', 'pip', 'install', '--quiet', client]);
      return [python, script('list-tickets.py')];
    },
  },
  {
    name: 'oapi-codegen',
    tool: ['go', 'version'],
    async make(description, cwd) {
      const codegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
      await mkdir(join(cwd, 'api'));
      await writeFile(join(cwd, 'config.yaml'), OAPI_CODEGEN);
      await run('go', ['run', codegen, '--config', 'config.yaml', description], { cwd });
      await run('go', ['mod', 'init', 'example.org/tickets'], { cwd });
      await copyFile(script('list-tickets.go.txt'), join(cwd, 'main.go'));
      await run('go', ['mod', 'tidy'], { cwd });
      await run('go', ['vet', './api'], { cwd });
      return ['go', 'run', '.'];
    },
  },
];

const QUIET = { REDOCLY_TELEMETRY: 'off', SCARF_ANALYTICS: 'false', npm_config_ignore_scripts: 'true' };

type Problems = readonly string[];

/** What `recommended` of Redocly says, but that the address is one of this machine. */
const redocly = async (description: string): Promise<Problems> => {
  const args = ['-y', '@redocly/cli@2.77.0', 'lint', description, '--extends=recommended', '--format=json'];
  const { problems } = JSON.parse(await run('npx', args, { env: QUIET })) as {
    readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
  };
  return problems.filter(({ ruleId }) => ruleId !== 'no-server-example.com').map(({ message }) => message);
};

/** What `spectral:oas` says. `ruleset`: a file that extends it. */
const spectral = async (description: string, ruleset: string): Promise<Problems> => {
  const args = ['-y', '@stoplight/spectral-cli@6.16.3', 'lint', description, '--ruleset', ruleset, '-f', 'json', '-q'];
  const found = JSON.parse(await run('npx', args, { env: QUIET })) as readonly { readonly message: string }[];
  return found.map(({ message }) => message);
};

// npm run clients

const USAGE = `npm run clients

Starts the product, makes clients of its descriptions with openapi-generator (Java is needed; the others where they are
installed), openapi-python-client and oapi-codegen, compiles them, uses those for Python and Go, and lints the
descriptions. Downloads what it needs from Maven
Central, PyPI, npm and the Go proxy. Exit status 1: a step failed.
`;

const JAR = 'openapi-generator-cli-7.25.0.jar';
const JAR_URL = `https://repo1.maven.org/maven2/org/openapitools/openapi-generator-cli/7.25.0/${JAR}`;
const JAR_SHA256 = '41ce4f6b07f196676439d710759fa1ced7a08066d06ff1bf314681470289efae';

/** The generator's path, downloaded once. @throws {Error} if it is not the released one */
const generatorIn = async (cache: string): Promise<string> => {
  const path = join(cache, JAR);
  const bytes = await readFile(path).catch(async () => Buffer.from(await (await fetch(JAR_URL)).arrayBuffer()));
  if (createHash('sha256').update(bytes).digest('hex') !== JAR_SHA256)
    throw new Error(`${JAR} is not the released one`);
  await mkdir(cache, { recursive: true });
  await writeFile(path, bytes);
  return path;
};

const none = (problems: readonly string[]): string => {
  if (problems.length > 0) throw new Error(`${problems.length} problems\n${problems.join('\n')}`);
  return 'no warning';
};

/** Runs every step, also after a failed one; whether none failed. */
const makeClients = async (): Promise<boolean> => {
  let failures = 0;
  const attempt = (name: string, act: () => Promise<string>): Promise<void> =>
    runStep(name, act).catch(() => {
      failures += 1;
    });
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-clients-'));
  const product = await startProduct();
  try {
    const jar = await generatorIn(join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'boxoffice-ci'));
    const ruleset = join(folder, 'ruleset.json');
    await writeFile(ruleset, JSON.stringify({ extends: ['spectral:oas'] }));
    for (const path of ['/openapi.json', '/tnwr/v1/openapi.json', '/tnwr/vexp/openapi.json']) {
      const description = join(folder, `${path.replaceAll('/', '-').slice(1)}`);
      await writeFile(description, (await openClient(product.address)(path)).text);
      await attempt(`${path}: redocly`, async () => none(await redocly(description)));
      await attempt(`${path}: spectral`, async () => none(await spectral(description, ruleset)));
      for (const language of languages) {
        const { generator, tool, build } = language;
        const target = `${description}-${generator}`;
        await attempt(`${path}: ${generator}`, async () => {
          await generate(jar, description, language, target);
          if (!(await isSuccessful(tool[0], tool.slice(1)))) return `generated; not compiled: there is no ${tool[0]}`;
          await build(target);
          if (generator !== 'python' || path !== '/openapi.json') return 'generated and compiled';
          return run(pythonOf(target), [script('use-client.py'), join(product.directory, 'demo.json')]);
        });
      }
      for (const { name, tool, make } of generators) {
        const target = `${description}-${name}`;
        await attempt(`${path}: ${name}`, async () => {
          if (!(await isSuccessful(tool[0], tool.slice(1)))) return `not generated: there is no ${tool[0]}`;
          await mkdir(target);
          const [program, ...args] = await make(description, target);
          if (path !== '/openapi.json') return 'generated and compiled';
          return run(program, [...args, join(product.directory, 'demo.json')], { cwd: target });
        });
      }
    }
  } finally {
    await product.stop();
    await product.discard();
    await rm(folder, { recursive: true, force: true });
  }
  return failures === 0;
};

if (process.argv.includes('--help')) process.stdout.write(USAGE);
else process.exitCode = (await makeClients()) ? 0 : 1;
