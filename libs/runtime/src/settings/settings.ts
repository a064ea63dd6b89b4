import { createServer } from 'node:net';
import { describeMissingAddress, getErrorCode, NO_ADDRESS, StartFault } from './start-fault.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `read` throws an Error of what is wrong, without the setting's name, or a {@link SettingsFault} of whole lines. */
export interface Setting<Value> {
  readonly name: string;
  read(env: Environment): Value;
}

export type SettingsSpec = Readonly<Record<string, Setting<unknown>>>;

export type Settings<Spec extends SettingsSpec> = {
  readonly [Key in keyof Spec]: Spec[Key] extends Setting<infer Value> ? Value : never;
};

/** Every invalid setting, one line each. */
export class SettingsFault extends StartFault {
  override readonly name = 'SettingsFault';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.length === 1 ? String(faults[0]) : `${faults.length} settings are wrong\n  ${faults.join('\n  ')}`);
    this.faults = faults;
  }
}

/** An empty value counts as unset. @throws {SettingsFault} that names every wrong setting and what it expects */
export function readSettings<Spec extends SettingsSpec>(spec: Spec, env: Environment = process.env): Settings<Spec> {
  const { values, faults } = readAll(spec, env);
  if (faults.length > 0) throw new SettingsFault(faults);
  return values as Settings<Spec>;
}

/** The values of all settings, and their faults; two settings may report the same fault of a third. */
const readAll = (spec: SettingsSpec, env: Environment) => {
  const faults = new Set<string>();
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(spec)) {
    try {
      values[key] = setting.read(env);
    } catch (error) {
      if (error instanceof SettingsFault) for (const fault of error.faults) faults.add(fault);
      else faults.add(`${setting.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return { values, faults: [...faults] };
};

/** Also reports an address of HOST that the system refuses. @throws {SettingsFault} */
export async function readServerSettings<Spec extends SettingsSpec & { readonly host: Setting<string> }>(
  spec: Spec,
  env: Environment = process.env,
): Promise<Settings<Spec>> {
  const { values, faults } = readAll(spec, env);
  const { host } = values;
  if (typeof host === 'string' && !(await isOwnAddress(host)))
    faults.push(`${spec.host.name}: ${describeMissingAddress(host)}`);
  if (faults.length > 0) throw new SettingsFault(faults);
  return values as Settings<Spec>;
}

const isOwnAddress = (host: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error) => resolve(!NO_ADDRESS.has(getErrorCode(error))));
    probe.listen({ host, port: 0 }, () => probe.close(() => resolve(true)));
  });

/** Ports of one program are different, unless the system chooses them (0). */
export function requireDifferentPorts(...ports: readonly Setting<number | undefined>[]): Setting<undefined> {
  return {
    name: ports.map(({ name }) => name).join(', '),
    read(env) {
      const owners = new Map<number, string>();
      const faults: string[] = [];
      for (const setting of ports) {
        const value = quietly(setting, env);
        if (value === undefined || value === 0) continue;
        const owner = owners.get(value);
        if (owner === undefined) owners.set(value, setting.name);
        else faults.push(`${setting.name}: ${value} is the port of ${owner} already; each listener needs its own`);
      }
      if (faults.length > 0) throw new SettingsFault(faults);
      return undefined;
    },
  };
}

// Constraints between settings: a rule is read like a setting, so that its faults are reported with the others.

/** The setting's value; undefined when it is invalid, which its own reading reports. */
const quietly = <Value>(setting: Setting<Value>, env: Environment): Value | undefined => {
  try {
    return setting.read(env);
  } catch {
    return undefined;
  }
};

export function requireSetting<Value>(setting: Setting<Value | undefined>, refusal: string): Setting<Value> {
  return {
    name: setting.name,
    read(env) {
      const value = setting.read(env);
      if (value === undefined) throw new Error(refusal);
      return value;
    },
  };
}
