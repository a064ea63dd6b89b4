import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const OPERATOR = fileURLToPath(new URL('../../../deploy/operator/src/main.ts', import.meta.url));

/** A folder in which commands find the data of an installation, and `npm run operator`. */
export async function createFolder(data: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-guides-'));
  await symlink(data, join(folder, 'data'));
  const operator = `exec ${process.execPath} --conditions=source ${OPERATOR}`;
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, scripts: { operator } }));
  return folder;
}

/** A block of commands or JavaScript in a document, and the output that it must contain: its lines `# → fragment`. */
interface Block {
  readonly commands: string;
  readonly expected: readonly string[];
}

const MARK = '@@ block';

const asCommand = (script: string): string =>
  `NODE_EXTRA_CA_CERTS=data/development-certificate.pem node --input-type=module -e '${script.replaceAll("'", "'\\''")}'`;

/**
 * The ```sh and ```js blocks of a Markdown text, or of one of its chapters. @throws {Error} if there are none, or the
 * chapter is missing
 */
export function listBlocks(markdown: string, chapter?: string): Block[] {
  const start = chapter === undefined ? 0 : markdown.indexOf(`## ${chapter}\n`);
  if (start < 0) throw new Error(`there is no chapter "${chapter}"`);
  const end = chapter === undefined ? -1 : markdown.indexOf('\n## ', start + 1);
  const text = markdown.slice(start, end < 0 ? undefined : end);
  const blocks = [...text.matchAll(/```(sh|js)\n([\s\S]*?)```/g)].map(([, language, commands = '']) => ({
    commands: language === 'js' ? asCommand(commands) : commands,
    expected: [...commands.matchAll(/^(?:#|\/\/) → (.+)$/gm)].map(([, fragment = '']) => fragment),
  }));
  if (blocks.length === 0)
    throw new Error(`${chapter === undefined ? 'the text' : `the chapter "${chapter}"`} has no commands`);
  return blocks;
}

/**
 * Runs the blocks one after the other in one shell, as a reader would paste them; returns the failures. `settings`:
 * what the reader has in the environment.
 */
export function runBlocks(
  blocks: readonly Block[],
  directory: string,
  settings: Readonly<Record<string, string>> = {},
): string[] {
  const script = blocks.map(({ commands }, index) => `echo "${MARK} ${index}"\n${commands}`).join('\n');
  const { stdout, stderr, status } = spawnSync('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: directory,
    env: { ...process.env, ...settings },
    encoding: 'utf8',
    // A bash with a socket as input and no parent shell reads a profile.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  });
  const outputs = stdout.split(new RegExp(`^${MARK} \\d+$`, 'm')).slice(1);
  const faults = blocks.flatMap(({ commands, expected }, index) =>
    expected
      .filter((fragment) => !(outputs[index] ?? '').includes(fragment))
      .map((fragment) => `expected «${fragment}» from\n${commands}\nbut got\n${outputs[index] ?? '(not run)'}`),
  );
  return status === 0 ? faults : [...faults, `the shell ended with status ${status}: ${stderr}`];
}

// node tests/acceptance/src/readme.ts DIRECTORY DOCUMENT#CHAPTER…: DIRECTORY is a clone whose product runs
const [directory, ...chapters] = process.argv.slice(2);
if (directory !== undefined && import.meta.main) {
  const faults = chapters.flatMap((named) => {
    const [document = '', chapter = ''] = named.split('#');
    const blocks = listBlocks(readFileSync(`${directory}/${document}`, 'utf8'), chapter);
    const found = runBlocks(blocks, directory);
    process.stdout.write(`${document}, "${chapter}": ${blocks.length} blocks, ${found.length} faults\n`);
    return found;
  });
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
