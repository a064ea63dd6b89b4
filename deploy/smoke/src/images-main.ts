import { ROOT, run } from './command.ts';
import { buildImage, contentsOf, imageNames, versionIn } from './images.ts';
import { ensureLocalBases } from './local-bases.ts';
import { inColumns } from './table.ts';

// npm run images -- [--local-bases]: every image from this working tree, tagged as docker-compose.yml names it

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const localBases = process.argv.includes('--local-bases');
if (localBases) await ensureLocalBases(print);
const changed = (await run('git', ['status', '--porcelain'])) === '' ? '' : '-changed';
const revision = `${(await run('git', ['rev-parse', 'HEAD'])).trim()}${changed}`;
const rows = [['image', 'MB', 'own MB']];
for (const name of imageNames) {
  const tag = `boxoffice/${name}:${await versionIn(ROOT, name)}`;
  await buildImage({ context: ROOT, name, tag, revision, localBases });
  const { megabytes, ownMegabytes } = await contentsOf(tag);
  rows.push([tag, `${megabytes}`, `${ownMegabytes}`]);
}
for (const line of inColumns(rows)) print(line);
