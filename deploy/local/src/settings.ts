import { authorizer } from '@boxoffice/authorizer';
import { gatewaySettings } from '@boxoffice/gateway';
import {
  amqpUrl,
  dataDirectory,
  type Environment,
  ensureDirectory,
  flag,
  logLevel,
  mongodbUrl,
  operationsPort,
  readSettings,
  serviceSecret,
} from '@boxoffice/runtime';
import { keepSecrets } from './secrets.ts';

const spec = {
  ...gatewaySettings,
  directory: dataDirectory,
  mongodbUrl,
  amqpUrl,
  logLevel,
  operationsPort,
  demo: flag('BOXOFFICE_DEMO', { default: true }),
};

/** The settings of everything in one process. @throws {StartFault} naming every wrong one, or the data directory */
export const readLocalSettings = (env?: Environment) => {
  const common = readSettings(spec, env);
  ensureDirectory(common.directory, 'BOXOFFICE_DATA_DIR');
  keepSecrets(common.directory, env);
  return {
    ...common,
    ...readSettings({ serviceSecret }, env),
    authorizer: readSettings({ ...authorizer.settings }, env),
  };
};

export type LocalSettings = ReturnType<typeof readLocalSettings>;
