import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

// Runs once at every start of the composition: makes the passwords that are missing, and writes to each container's own volume what that
// container is told, and nothing else. What was made is kept in a volume that no other container mounts.

const FOLDER = process.env.SECRETS_DIR ?? '/secrets';
const OWN = `${FOLDER}/own/secrets.json`;
const services = ['gateway', 'authorizer', 'catalog', 'contacts', 'orders', 'tickets', 'pos', 'operator'];

const write = (path, text) => {
  // Whole or not at all. Readable for whichever user the container has; nobody else mounts the volume.
  writeFileSync(`${path}.new`, text, { mode: 0o444, flush: true });
  renameSync(`${path}.new`, path);
};

const kept = existsSync(OWN) ? JSON.parse(readFileSync(OWN, 'utf8')) : {};
const secret = (name, make = () => randomBytes(32).toString('base64url')) => {
  kept[name] ??= make();
  return kept[name];
};

const serviceRootSecret = secret('service-root-secret');
// As the authorizer derives it (libs/runtime/src/shared-settings/service-secret.ts): what one container is told proves it as no other.
const serviceSecret = (name) =>
  Buffer.from(hkdfSync('sha256', serviceRootSecret, '', `boxoffice service ${name}`, 32)).toString('base64url');
const keyEncryptionKey = secret('key-encryption-key');
const rootPassword = secret('mongodb-root');
// mongod takes 6 to 1,024 characters of base64.
const keyfile = secret('mongodb-keyfile', () => randomBytes(512).toString('base64'));
const users = services
  .filter((name) => name !== 'gateway')
  .map((name) => ({ name, password: secret(`mongodb-${name}`) }));
const brokerUsers = services.map((name) => ({ name, password: secret(`rabbitmq-${name}`) }));
// First what was made: a half-written start goes on with the same ones.
write(OWN, JSON.stringify(kept, null, 2));

const databaseUrl = (name) =>
  process.env.MONGODB_URL ||
  `mongodb://${name}:${kept[`mongodb-${name}`]}@mongodb:27017/boxoffice?replicaSet=rs0&authSource=admin`;
const brokerUrl = (name) => `amqp://${name}:${kept[`rabbitmq-${name}`]}@rabbitmq:5672/boxoffice`;

for (const name of services) {
  const folder = `${FOLDER}/${name}`;
  mkdirSync(folder, { recursive: true });
  write(`${folder}/amqp-url`, brokerUrl(name));
  if (name !== 'gateway') write(`${folder}/mongodb-url`, databaseUrl(name));
  if (name === 'authorizer' || name === 'operator') {
    write(`${folder}/key-encryption-key`, keyEncryptionKey);
    write(`${folder}/service-root-secret`, serviceRootSecret);
  } else {
    write(`${folder}/service-secret`, serviceSecret(name));
  }
}

mkdirSync(`${FOLDER}/mongodb`, { recursive: true });
write(`${FOLDER}/mongodb/root-password`, rootPassword);
write(`${FOLDER}/mongodb/keyfile`, keyfile);
write(`${FOLDER}/mongodb/users.json`, JSON.stringify(users));

/** As RabbitMQ keeps passwords: a salt, and the hash of salt and password. */
const hashOf = (password) => {
  const salt = randomBytes(4);
  const hash = createHash('sha256').update(salt).update(password).digest();
  return Buffer.concat([salt, hash]).toString('base64');
};

// What each user may do, as `operator topology rights` says it; beside this program, here and in its container.
const rights = JSON.parse(readFileSync(new URL('./broker-rights.json', import.meta.url), 'utf8'));
const definitions = {
  vhosts: [{ name: 'boxoffice' }],
  users: brokerUsers.map(({ name, password }) => ({
    name,
    password_hash: hashOf(password),
    hashing_algorithm: 'rabbit_password_hashing_sha256',
    tags: '',
  })),
  permissions: rights.map((one) => ({ ...one, vhost: 'boxoffice' })),
};
mkdirSync(`${FOLDER}/rabbitmq`, { recursive: true });
write(`${FOLDER}/rabbitmq/definitions.json`, JSON.stringify(definitions));
