import { spawnSync } from 'node:child_process';
import { COMPONENT, ROWS, Unwritable, writeService } from './index.ts';

// npm run new-service -- NAME: writes a service of a team's own into this repository

const ROOT = new URL('../../../../', import.meta.url).pathname;
const [name = ''] = process.argv.slice(2);

const run = (command: string, ...args: string[]): void => {
  const { status, stderr } = spawnSync(command, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Unwritable(`the files are written, but ${command} ${args.join(' ')} failed: ${stderr}`);
};

const steps = `
It has the points of a contact; put what you need in their place. Then:

  npm test -- services/${name}
  npm run service -- ${name}    with MONGODB_URL, AMQP_URL, AUTHORIZER_URL, CONTACTS_URL, SERVICE_SECRET and SERVICES_FILE
  docker compose -f docker-compose.yml -f deploy/compose/${name}.yml up -d --build
  kubectl apply -k …            once your overlay lists ${COMPONENT} among its components, and the ConfigMap
                                boxoffice-services has ${ROWS}

The Compose file does the following by itself; elsewhere SERVICES_FILE is ${ROWS}, and before the service starts:

  npm run operator -- topology declare              its queue, ${name}.facts.v1
  npm run operator -- topology rights               those of its user at RabbitMQ
  npm run operator -- service-secrets ${name}

Then give a client its scopes:

  npm run operator -- clients create INSTITUTION --name NAME --scopes ${name}:read,${name}:write

docs/own-service.md has the contract, docs/services-file.md the row. npm start runs the product's own services only.
`;

try {
  const written = writeService(ROOT, name);
  run('node_modules/.bin/biome', 'check', '--write', `services/${name}`, 'deploy/compose');
  run('npm', 'run', '--silent', 'setup');
  process.stdout.write(`${written.map((path) => `wrote ${path}`).join('\n')}\n${steps}`);
} catch (error) {
  if (!(error instanceof Unwritable)) throw error;
  process.stderr.write(`new-service: ${error.message}\n`);
  process.exitCode = 1;
}
