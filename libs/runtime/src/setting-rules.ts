import { certificateFaults, readCertificate } from './certificate.ts';
import { type Environment, type Setting, SettingsFault } from './settings.ts';
import { StartFault } from './start-fault.ts';

/** What settings have to do with one another. A rule is read like a setting, so that its faults are told with the others'. */

/** The setting's value; undefined when it is wrong, which its own reading tells. */
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

/** The files of a certificate and of its key are both named, and belong together, or none is. */
export const certificatePair = (
  certFile: Setting<string | undefined>,
  keyFile: Setting<string | undefined>,
): Setting<undefined> => ({
  name: certFile.name,
  read(env) {
    const [cert, key] = [quietly(certFile, env), quietly(keyFile, env)];
    const faults = certificateFaults(cert, key);
    if ((cert === undefined) !== (key === undefined)) {
      const [set, unset] = cert === undefined ? [keyFile, certFile] : [certFile, keyFile];
      faults.unshift(`${unset.name}: is not set, but ${set.name} is; they belong together`);
    }
    if (faults.length > 0) throw new SettingsFault(faults);
    try {
      if (cert !== undefined && key !== undefined) readCertificate(cert, key);
      return undefined;
    } catch (error) {
      throw error instanceof StartFault ? new SettingsFault([error.message]) : error;
    }
  },
});
