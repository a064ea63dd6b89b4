// Run by `npm run setup` if the registry has no Node for this platform, so by any installed version of Node: plain
// JavaScript.
const NEEDED = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED) {
  const platform = `${process.platform}-${process.arch}`;
  process.stderr.write(
    `boxoffice runs on Node ${NEEDED}. The npm registry has none for ${platform}, and ${process.execPath} is ${process.versions.node}: install Node ${NEEDED} (https://nodejs.org), then try again.\n`,
  );
  process.exitCode = 1;
}
