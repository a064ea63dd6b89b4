import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type DataLocation, settingsOf } from '../../src/deployment/installation.ts';

const MAIN = new URL('../../../../deploy/operator/src/main.ts', import.meta.url).pathname;

export interface Answer {
  readonly status: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `npm run operator -- …` on an installation, as a program of its own. */
export const operate = async (data: DataLocation, ...words: readonly string[]): Promise<Answer> => {
  const env = { PATH: process.env.PATH, ...settingsOf(data) };
  const child = spawn('node', ['--conditions=source', MAIN, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (text) => {
    out += text;
  });
  child.stderr.on('data', (text) => {
    err += text;
  });
  const [status] = await once(child, 'close');
  return { status, out, err };
};
