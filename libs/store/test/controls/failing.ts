import { type Check, type ChildEngine, openSubject } from '../../src/conformance/index.ts';
import type { Store } from '../../src/index.ts';
import { sqliteEngine } from '../sqlite/engine.ts';

/** Runs checks against the SQLite engine behind a double; returns the rules that it breaks, with the messages. */
export const failing = async (
  checks: readonly Check[],
  double: (store: Store) => Store,
  child?: ChildEngine['module'],
): Promise<Map<string, string>> => {
  const engine = await sqliteEngine();
  const subject = await openSubject({
    ...engine,
    open: async (...given) => double(await engine.open(...given)),
    child: { ...engine.child, module: child ?? engine.child.module },
  });
  const broken = new Map<string, string>();
  for (const check of checks) {
    await check.run(subject).catch((error: unknown) => broken.set(check.rule, String(error)));
  }
  await subject.close();
  return broken;
};

/** The check with this rule. */
export const checkOf = (checks: readonly Check[], part: string): Check => {
  const found = checks.find(({ rule }) => rule.includes(part));
  if (!found) throw new Error(`there is no rule with "${part}"`);
  return found;
};
