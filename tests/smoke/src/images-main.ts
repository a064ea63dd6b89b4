import { parseArgs } from 'node:util';
import { ROOT, run } from './command.ts';
import { buildImage, contentsOf, imageNames, versionIn } from './images.ts';
import { inColumns } from './table.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const USAGE = `npm run images -- [--build-arg NAME=VALUE]…

Builds every image of this working tree, with docker-compose.yml's tags, and prints their sizes.`;

const wanted = (() => {
  try {
    return parseArgs({
      options: {
        'build-arg': { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}\n`);
    process.exit(1);
  }
})();
if (wanted.help) {
  print(USAGE);
  process.exit(0);
}
const changed = (await run('git', ['status', '--porcelain'])) === '' ? '' : '-changed';
const revision = `${(await run('git', ['rev-parse', 'HEAD'])).trim()}${changed}`;
const rows = [['image', 'MB', 'own MB']];
for (const name of imageNames) {
  const tag = `boxoffice/${name}:${await versionIn(ROOT, name)}`;
  await buildImage({ context: ROOT, name, tag, revision, buildArgs: wanted['build-arg'] });
  const { megabytes, ownMegabytes } = await contentsOf(tag);
  rows.push([tag, `${megabytes}`, `${ownMegabytes}`]);
}
for (const line of inColumns(rows)) print(line);
