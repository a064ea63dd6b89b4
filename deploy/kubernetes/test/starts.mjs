// Starts the product's mains in this process, each with its given environment, and prints the settings that each did
// not read and the queues that it consumes. No engine is reachable, so none serves requests. An invalid setting ends
// this process with its error.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { repository, scratch, processes } = JSON.parse(readFileSync(0, 'utf8'));
const source = (path) => new URL(path, repository).href;
process.setMaxListeners(100);

const { ensureDevelopmentCertificate } = await import(source('libs/runtime/src/index.ts'));
const { cert, key, caFile } = await ensureDevelopmentCertificate(scratch, ['localhost']);
for (const [path, kind] of processes.flatMap(({ pems }) => pems)) {
  if (kind === 'ca.crt') copyFileSync(caFile, path);
  else writeFileSync(path, kind === 'tls.key' ? key : cert);
}

const answer = { unread: {}, queues: {} };
for (const [index, { name, folder, env }] of processes.entries()) {
  const read = new Set();
  process.env = new Proxy(
    { ...env },
    {
      get(target, setting) {
        if (target[setting]) read.add(setting);
        return target[setting];
      },
    },
  );
  // A module runs once per URL, hence the query.
  import(`${source(`${folder}/src/main.ts`)}?${index}`);
  const unread = () => Object.keys(env).filter((setting) => env[setting] !== '' && !read.has(setting));
  // All settings are read at once; only the main reads this one.
  const isRead = () => read.has('SERVICE_SECRET_FILE') || read.has('SERVICE_ROOT_SECRET_FILE');
  for (const end = Date.now() + 120_000; !isRead() && Date.now() < end; ) await pause(2);
  await pause(0);
  answer.unread[name] = unread();
  const { [name]: definition } = await import(source(`${folder}/src/index.ts`));
  if (definition === undefined) continue;
  answer.queues[name] = (definition.queues ?? []).map((one) => one.name);
}
process.stdout.write(JSON.stringify(answer), () => process.exit(0));
