import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The folder of @boxoffice/client. */
export const CLIENT = join(ROOT, 'libs/client');

/** Compiles the package into a folder, as `npm pack` does. */
export const compileClient = async (folder: string): Promise<void> => {
  await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(CLIENT, 'tsconfig.package.json'), '--outDir', folder]);
};

export interface Packed {
  readonly tarball: string;
  /** The paths in the tarball. */
  readonly files: readonly string[];
}

/** Packs the package into a folder. */
export const packClient = async (folder: string): Promise<Packed> => {
  const { stdout } = await execute('npm', ['pack', '--json', '--pack-destination', folder], { cwd: CLIENT });
  // What `prepack` prints comes first.
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[\n')));
  const paths = (files as readonly { readonly path: string }[]).map(({ path }) => path);
  return { tarball: join(folder, filename), files: paths };
};

/** The programs of a document: its ```ts blocks, by the name in their first line. */
export const programsOf = async (document: string): Promise<ReadonlyMap<string, string>> => {
  const text = await readFile(document, 'utf8');
  return new Map(
    [...text.matchAll(/```ts\n\/\/ (\S+\.ts)\n([\s\S]*?)```/g)].map(([, name = '', code = '']) => [name, code]),
  );
};

/** A project of a partner that has installed the package. */
export interface Consumer {
  /** Compiles its programs under `strict`. @throws {Error} with what the compiler says */
  compile(): Promise<void>;
  /** Runs a compiled program; returns its output. */
  run(program: string, env: Readonly<Record<string, string>>): Promise<string>;
}

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

/** Installs a tarball, without the network, in a new project with these programs. */
export const installConsumer = async (
  folder: string,
  tarball: string,
  programs: ReadonlyMap<string, string>,
): Promise<Consumer> => {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'partner', private: true, type: 'module' }));
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(CONFIGURATION));
  for (const [name, code] of programs) await writeFile(join(folder, name), code);
  await execute('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  return {
    async compile() {
      try {
        await execute(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder]);
      } catch (error) {
        throw new Error((error as { readonly stdout?: string }).stdout || String(error));
      }
    },
    async run(program, env) {
      const { stdout } = await execute(process.execPath, [join(folder, 'dist', program.replace(/\.ts$/, '.js'))], {
        env: { PATH: process.env.PATH, ...env },
      });
      return stdout;
    },
  };
};
