import { runChecks } from './checks.ts';

// npm run check [-- --strict]: strict, as before a release, also fails for a check that could not run
const words = process.argv.slice(2);
const unknown = words.filter((word) => word !== '--strict');
if (unknown.length > 0) {
  process.stdout.write(`npm run check [-- --strict]; there is no ${unknown.join(', ')}\n`);
  process.exit(2);
}
const { passed, failed } = await runChecks({ strict: words.length > 0 });
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
