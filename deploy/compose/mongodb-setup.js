// Run by mongosh at every start of the composition: creates the one-member replica set and one user per service, who
// reads and writes only that service's database. The operator's user reads and writes all of them. Written for MongoDB
// 8.0; docs/reliability.md, "What is unproven", says what no test has run.
const files = require('node:fs');

const read = (name) => files.readFileSync(`/run/boxoffice/${name}`, 'utf8');
const MEMBER = 'mongodb:27017';
const PATIENCE_MS = 120_000;
const users = JSON.parse(read('users.json'));
const databases = [...users.map(({ name }) => name).filter((name) => name !== 'operator'), 'local'];
const until = Date.now() + PATIENCE_MS;

const persistently = (what, attempt) => {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (Date.now() > until) throw error;
      print(`waiting for ${what}: ${error.message}`);
      sleep(1_000);
    }
  }
};

// At the first start the image creates the root user through a server on the loopback address, then starts the real
// server.
const admin = persistently('the server', () =>
  new Mongo(
    `mongodb://root:${encodeURIComponent(read('root-password'))}@${MEMBER}/admin?directConnection=true&serverSelectionTimeoutMS=2000`,
  ).getDB('admin'),
);

const status = () => {
  try {
    return admin.runCommand({ replSetGetStatus: 1 });
  } catch (error) {
    return error;
  }
};
if (status().codeName === 'NotYetInitialized') {
  admin.runCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: MEMBER }] } });
}
persistently('the primary', () => {
  if (!admin.hello().isWritablePrimary) throw new Error('not elected yet');
});

for (const { name, password } of users) {
  const own = name === 'operator' ? databases : [name];
  const rights = { pwd: password, roles: own.map((database) => ({ role: 'readWrite', db: `boxoffice_${database}` })) };
  if (admin.getUser(name) === null) admin.createUser({ user: name, ...rights });
  else admin.updateUser(name, rights);
}
print('the replica set and its users exist');
