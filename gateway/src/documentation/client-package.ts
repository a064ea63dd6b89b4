import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Reads the tarball of @boxoffice/client, which partners install from `/docs/client.tgz`. An image has it beside the
 * guides; a checkout packs it, which takes about two seconds. Rejects if it has neither.
 *
 * @param root the folder with the guides: of an image's repository, or of the checkout
 */
export const readClientPackage = async (root: string): Promise<Buffer> => {
  const packed = join(root, 'client.tgz');
  return existsSync(packed) ? readFile(packed) : pack(root);
};

const pack = async (root: string): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-client-'));
  try {
    const words = ['--dir', join(root, 'libs/client'), 'pack', '--pack-destination', folder];
    await promisify(execFile)('npm', ['run', '--silent', 'pnpm', '--', ...words], { cwd: root });
    const [name] = (await readdir(folder)).filter((file) => file.endsWith('.tgz'));
    if (name === undefined) throw new Error('pnpm pack wrote no tarball');
    return await readFile(join(folder, name));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
