// Clients that openapi-generator makes of the served descriptions, and the linters of these.
import { join } from 'node:path';
import { ROOT, run } from '../command.ts';

/** A language of openapi-generator, with the tool that builds its clients. */
export interface Language {
  /** The name of its generator. */
  readonly generator: string;
  /** Options of the generator. */
  readonly options?: string;
  /** A command that succeeds where the tool is installed. */
  readonly tool: readonly [program: string, ...args: string[]];
  /** Builds the client in the folder, with packages from the usual registry of the language. */
  build(folder: string): Promise<unknown>;
}

/** The Python of the client's own environment. */
export const pythonOf = (folder: string): string => join(folder, 'environment', 'bin', 'python');

const TSC = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler'];

export const languages: readonly Language[] = [
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
export const generate = async (
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

const QUIET = { REDOCLY_TELEMETRY: 'off', SCARF_ANALYTICS: 'false', npm_config_ignore_scripts: 'true' };

/** A problem that a linter found, in words. */
type Problems = readonly string[];

/** What `recommended` of Redocly says, but that the address is one of this machine. */
export const redocly = async (description: string): Promise<Problems> => {
  const args = ['-y', '@redocly/cli@2.77.0', 'lint', description, '--extends=recommended', '--format=json'];
  const { problems } = JSON.parse(await run('npx', args, { env: QUIET })) as {
    readonly problems: readonly { readonly ruleId: string; readonly message: string }[];
  };
  return problems.filter(({ ruleId }) => ruleId !== 'no-server-example.com').map(({ message }) => message);
};

/** What `spectral:oas` says. `ruleset`: a file that extends it. */
export const spectral = async (description: string, ruleset: string): Promise<Problems> => {
  const args = ['-y', '@stoplight/spectral-cli@6.16.3', 'lint', description, '--ruleset', ruleset, '-f', 'json', '-q'];
  const found = JSON.parse(await run('npx', args, { env: QUIET })) as readonly { readonly message: string }[];
  return found.map(({ message }) => message);
};
