import { cp, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run } from './command.ts';

/** A git revision, checked out as files. */
export interface Checkout {
  readonly folder: string;
  /** Its commit's id, in full. */
  readonly revision: string;
}

/** The files of the image build, which an older revision may lack. */
const recipe = [
  '.dockerignore',
  'tsconfig.build.json',
  'deploy/Dockerfile',
  'deploy/healthcheck.cjs',
  'deploy/compile.mjs',
];

/**
 * Checks a revision out to a temporary folder, which the caller removes; `like` provides the image build. @throws
 * {Error} on an unknown revision
 */
export const checkOut = async (ref: string, like?: Checkout): Promise<Checkout> => {
  const revision = (await run('git', ['rev-parse', '--verify', `${ref}^{commit}`])).trim();
  const folder = await mkdtemp(join(tmpdir(), 'boxoffice-images-'));
  await run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', revision, folder]);
  if (like) {
    await mkdir(join(folder, 'deploy'), { recursive: true });
    for (const file of recipe) await cp(join(like.folder, file), join(folder, file));
  }
  return { folder, revision };
};

/** The revision before the last change of orders at or before the given one. */
export const beforeLastChange = async (revision: string): Promise<string> => {
  const last = await run('git', ['log', '-1', '--format=%H', revision, '--', 'services/orders/src'], { cwd: ROOT });
  return `${last.trim()}^`;
};
