import { type Environment, type Setting, SettingsFault } from './settings.ts';

/** Constraints between settings. A rule is read like a setting, so that its faults are reported with the others. */

/** The setting's value; undefined when it is invalid, which its own reading reports. */
const quietly = <Value>(setting: Setting<Value>, env: Environment): Value | undefined => {
  try {
    return setting.read(env);
  } catch {
    return undefined;
  }
};

/** Ports of one program are different, unless the system chooses them (0). */
export const differentPorts = (...ports: readonly Setting<number | undefined>[]): Setting<undefined> => ({
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
});

/** The setting, refused in these words where it is not set. */
export const requireSetting = <Value>(setting: Setting<Value | undefined>, refusal: string): Setting<Value> => ({
  name: setting.name,
  read(env) {
    const value = setting.read(env);
    if (value === undefined) throw new Error(refusal);
    return value;
  },
});
