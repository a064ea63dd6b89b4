import { parseArgs } from 'node:util';
import { inColumns } from './command.ts';
import { buildImage, canAttest, checkContents, contentsOf, imageNames, pushImage } from './images.ts';

// npm run images -- [--build-arg NAME=VALUE]… [--registry HOST/PATH --push]: builds every image of this working tree, with
// docker-compose.yml's tags, checks what is in them, and prints their sizes; then pushes them to a registry
const { values } = parseArgs({
  options: {
    'build-arg': { type: 'string', multiple: true, default: [] },
    registry: { type: 'string' },
    push: { type: 'boolean', default: false },
  },
});
const { registry, push, 'build-arg': buildArgs } = values;
if (push !== (registry !== undefined)) {
  process.stderr.write('--registry HOST/PATH and --push go together: npm run images -- --registry HOST/PATH --push\n');
  process.exit(2);
}

const rows = [['image', 'MB', 'own MB', 'own packages']];
const built = new Map<string, string>();
for (const name of imageNames) {
  const tag = await buildImage(name, buildArgs);
  const contents = await contentsOf(tag);
  checkContents(name, contents);
  built.set(name, tag);
  rows.push([tag, `${contents.megabytes}`, `${contents.ownMegabytes}`, contents.packages.join(' ')]);
}
process.stdout.write(inColumns(rows));

// None is pushed unless all are as they should be.
if (registry !== undefined) {
  const attests = await canAttest();
  for (const [name, tag] of built)
    process.stdout.write(`pushed ${await pushImage(name, tag, { registry, buildArgs, attests })}\n`);
  process.stdout.write(
    attests
      ? 'each with an SBOM and its provenance\n'
      : 'without SBOM and provenance: docker buildx with a builder of the driver docker-container attaches them\n',
  );
}
