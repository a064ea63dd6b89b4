import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

// Runs once at every start of the composition: creates the passwords that are missing and writes to each container's
// volume the secrets of that container only. All passwords are stored in a volume that no other container mounts.

const FOLDER = process.env.SECRETS_DIR ?? '/secrets';
const OWN = `${FOLDER}/own/secrets.json`;
// The rights of each user of RabbitMQ, as printed by `operator topology rights`; mounted beside this program. All
// processes but the gateway have a user there and one in MongoDB.
const rights = JSON.parse(readFileSync(new URL('./broker-rights.json', import.meta.url), 'utf8'));
const names = rights.map(({ user }) => user);

const write = (path, text, mode = 0o444) => {
  // Atomic. Readable for any user, since each container runs as its own and no other container mounts the volume.
  rmSync(`${path}.new`, { force: true });
  writeFileSync(`${path}.new`, text, { mode, flush: true });
  renameSync(`${path}.new`, path);
};

const passwords = existsSync(OWN) ? JSON.parse(readFileSync(OWN, 'utf8')) : {};
const secret = (name, make = () => randomBytes(32).toString('base64url')) => {
  passwords[name] ??= make();
  return passwords[name];
};

const serviceRootSecret = secret('service-root-secret');
// Derived as the authorizer does (libs/runtime/src/settings/shared.ts), one secret per service.
const serviceSecret = (name) =>
  Buffer.from(hkdfSync('sha256', serviceRootSecret, '', `boxoffice service ${name}`, 32)).toString('base64url');
const keyEncryptionKey = secret('key-encryption-key');
// Its own, so that the process that connects to receivers could not decrypt signing keys.
const webhookEncryptionKey = secret('webhook-encryption-key');
// The same for payments, which connects to payment providers.
const paymentsEncryptionKey = secret('payments-encryption-key');
const rootPassword = secret('mongodb-root');
// mongod accepts 6 to 1,024 characters of base64.
const keyfile = secret('mongodb-keyfile', () => randomBytes(512).toString('base64'));
const users = names.map((name) => ({ name, password: secret(`mongodb-${name}`) }));
const brokerUsers = names.map((name) => ({ name, password: secret(`rabbitmq-${name}`) }));
// Written first, so that a start after an interrupted one uses the same passwords.
// Only this program, which is root, reads all of them.
write(OWN, JSON.stringify(passwords, null, 2), 0o600);

const databaseUrl = (name) =>
  process.env.MONGODB_URL ||
  `mongodb://${name}:${passwords[`mongodb-${name}`]}@mongodb:27017/boxoffice?replicaSet=rs0&authSource=admin`;
const brokerUrl = (name) => `amqp://${name}:${passwords[`rabbitmq-${name}`]}@rabbitmq:5672/boxoffice`;

for (const name of ['gateway', ...names]) {
  const folder = `${FOLDER}/${name}`;
  mkdirSync(folder, { recursive: true });
  if (name !== 'gateway') {
    write(`${folder}/amqp-url`, brokerUrl(name));
    write(`${folder}/mongodb-url`, databaseUrl(name));
  }
  if (name === 'authorizer' || name === 'operator') {
    write(`${folder}/key-encryption-key`, keyEncryptionKey);
    write(`${folder}/service-root-secret`, serviceRootSecret);
  } else {
    write(`${folder}/service-secret`, serviceSecret(name));
  }
  if (name === 'events') write(`${folder}/key-encryption-key`, webhookEncryptionKey);
  if (name === 'payments') write(`${folder}/key-encryption-key`, paymentsEncryptionKey);
  if (name === 'operator') write(`${folder}/payments-key-encryption-key`, paymentsEncryptionKey);
}

mkdirSync(`${FOLDER}/mongodb`, { recursive: true });
write(`${FOLDER}/mongodb/root-password`, rootPassword);
write(`${FOLDER}/mongodb/keyfile`, keyfile);
write(`${FOLDER}/mongodb/users.json`, JSON.stringify(users));

/** RabbitMQ's format for passwords: a salt, and the hash of salt and password. */
const hashOf = (password) => {
  const salt = randomBytes(4);
  const hash = createHash('sha256').update(salt).update(password).digest();
  return Buffer.concat([salt, hash]).toString('base64');
};

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
