import { StartFault } from './start-fault.ts';

/** Where settings come from: `process.env`, or a test's own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** One setting: how to read it. `read` throws an Error whose message says what is wrong, without the setting's name, or a {@link SettingsFault} of whole lines. */
export interface Setting<Value> {
  /** The environment variable. */
  readonly name: string;
  read(env: Environment): Value;
}

/** A program's settings, by the names that its code uses. */
export type SettingsSpec = Readonly<Record<string, Setting<unknown>>>;

/** The values of a program's settings. */
export type Settings<Spec extends SettingsSpec> = {
  readonly [Key in keyof Spec]: Spec[Key] extends Setting<infer Value> ? Value : never;
};

/** Every setting that is wrong, one line each. */
export class SettingsFault extends StartFault {
  override readonly name = 'SettingsFault';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? String(faults[0]) : `${faults.length} settings are wrong\n  ${faults.join('\n  ')}`);
    this.faults = faults;
  }
}

/**
 * Reads all settings of a program; called once, in its main. An empty value counts as unset.
 * @throws {SettingsFault} that names every wrong setting and what it expects
 */
export const readSettings = <Spec extends SettingsSpec>(spec: Spec, env: Environment = process.env): Settings<Spec> => {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(spec)) {
    try {
      values[key] = setting.read(env);
    } catch (error) {
      if (error instanceof SettingsFault) faults.push(...error.faults);
      else faults.push(`${setting.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (faults.length > 0) throw new SettingsFault(faults);
  return values as Settings<Spec>;
};
