import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export const CLIENT = join(ROOT, 'libs/client');

export async function compileClient(folder: string): Promise<void> {
  await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(CLIENT, 'tsconfig.package.json'), '--outDir', folder]);
}

/** The programs of a document: its ```ts blocks, by the name in their first line. */
export async function readPrograms(document: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(document, 'utf8');
  return new Map(
    [...text.matchAll(/```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => [name, code]),
  );
}

export type Consumer = Awaited<ReturnType<typeof installConsumer>>;

const CONFIGURATION = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    outDir: 'dist',
    rootDir: '.',
  },
  include: ['*.ts'],
};

/** Installs the package that an installation serves, as its guide says, in a new project with these programs. */
export async function installConsumer(
  folder: string,
  { baseUrl, caFile }: { readonly baseUrl: string; readonly caFile: string },
  programs: ReadonlyMap<string, string>,
) {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'partner', private: true, type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIGURATION));
  for (const [name, code] of programs) await writeFile(join(folder, name), code);
  const words = ['install', '--no-audit', '--no-fund', `--cafile=${caFile}`, `${baseUrl}/docs/client.tgz`];
  await execute('npm', words, { cwd: folder });
  const installed = join(folder, 'node_modules/@boxoffice/client');
  const entries = await readdir(installed, { recursive: true, withFileTypes: true });
  return {
    files: entries.filter((one) => one.isFile()).map((one) => relative(installed, join(one.parentPath, one.name))),
    /** Compiles its programs under `strict`. @throws {Error} with what the compiler says */
    async compile(): Promise<void> {
      try {
        await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]);
      } catch (error) {
        throw new Error((error as { readonly stdout?: string }).stdout || String(error));
      }
    },
    /** Runs a compiled program; returns its output. */
    async run(program: string, env: Readonly<Record<string, string>>): Promise<string> {
      const { stdout } = await execute(process.execPath, [join(folder, 'dist', program.replace(/\.ts$/, '.js'))], {
        env: { PATH: process.env.PATH, ...env },
      });
      return stdout;
    },
  };
}
