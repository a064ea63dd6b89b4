import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run, succeeds } from './command.ts';

// Base images for a machine that cannot pull any: Debian by mmdebstrap, Node and npm of this machine, RabbitMQ from
// Debian. They test the Dockerfile and the composition, not the public base images.

/** Names of the local images. */
export const localBases = {
  build: 'boxoffice-local/build:1',
  run: 'boxoffice-local/run:1',
  rabbitmq: 'boxoffice-local/rabbitmq:1',
  mongodb: 'boxoffice-local/mongodb:1',
} as const;

const SUITE = 'bookworm';
const FOLDER = new URL('../local/', import.meta.url).pathname;
const CA_BUNDLE = '/etc/ssl/certs/ca-certificates.crt';

const exists = (image: string): Promise<boolean> => succeeds('docker', ['image', 'inspect', image]);

/** A file system of Debian packages as an image. */
const imported = async (name: string, scratch: string, options: readonly string[]): Promise<void> => {
  const tar = join(scratch, 'root.tar');
  await run('mmdebstrap', [...options, SUITE, tar]);
  await run('docker', ['import', tar, name]);
  await rm(tar);
};

const built = (name: string, context: string, dockerfile: string): Promise<string> =>
  run('docker', ['build', '-t', name, '-f', '-', context], { input: dockerfile, env: { DOCKER_BUILDKIT: '0' } });

const npmOf = async (): Promise<string> => {
  const cli = await realpath((await run('sh', ['-c', 'command -v npm'])).trim());
  return dirname(dirname(cli));
};

/** Node, npm and the CA bundle of this machine on Debian. */
const buildBase = async (scratch: string): Promise<void> => {
  await imported('boxoffice-local/debian:1', scratch, ['--variant=minbase', '--include=ca-certificates']);
  const context = join(scratch, 'build');
  await mkdir(context);
  await cp(process.execPath, join(context, 'node'), { dereference: true });
  await cp(await npmOf(), join(context, 'npm'), { recursive: true, dereference: true });
  await cp(CA_BUNDLE, join(context, 'ca.crt'), { dereference: true });
  await built(
    localBases.build,
    context,
    `FROM boxoffice-local/debian:1
COPY ca.crt ${CA_BUNDLE}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
`,
  );
};

/** As in the public image: the C and C++ libraries, a user, certificates; no shell. */
const runBase = async (scratch: string): Promise<void> => {
  await imported('boxoffice-local/libraries:1', scratch, ['--variant=extract', '--include=libc6,libstdc++6']);
  const context = join(scratch, 'run');
  await mkdir(join(context, 'etc'), { recursive: true });
  await writeFile(
    join(context, 'etc/passwd'),
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532::/home:/sbin/nologin\n',
  );
  await writeFile(join(context, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
  await built(localBases.run, context, 'FROM boxoffice-local/libraries:1\nCOPY etc /etc\n');
};

/** Debian's RabbitMQ, with the names, user and paths of the public image. */
const rabbitmqBase = (): Promise<string> =>
  built(
    localBases.rabbitmq,
    FOLDER,
    `FROM boxoffice-local/debian:1
RUN printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d && chmod +x /usr/sbin/policy-rc.d \\
 && groupadd --gid 999 rabbitmq && useradd --uid 999 --gid 999 --home-dir /var/lib/rabbitmq rabbitmq \\
 && apt-get update -qq && apt-get install -y -qq --no-install-recommends rabbitmq-server && rm -rf /var/lib/apt/lists/* \\
 && mkdir -p /etc/rabbitmq/conf.d && chown -R 999:999 /var/lib/rabbitmq /var/log/rabbitmq
ENV PATH=/usr/lib/rabbitmq/bin:/usr/sbin:/usr/bin:/sbin:/bin RABBITMQ_LOGS=- HOME=/var/lib/rabbitmq RABBITMQ_CONF_ENV_FILE=/dev/null
VOLUME /var/lib/rabbitmq
CMD ["rabbitmq-server"]
`,
  );

/** Replaces MongoDB: forwards its protocol to a server on this machine. */
const mongodbBase = (): Promise<string> =>
  built(
    localBases.mongodb,
    FOLDER,
    `FROM ${localBases.build}
COPY mongodb-relay.mjs /mongodb-relay.mjs
CMD ["node", "/mongodb-relay.mjs"]
`,
  );

/** Builds the missing images; the first build takes minutes. */
export const ensureLocalBases = async (tell: (what: string) => void): Promise<void> => {
  const scratch = await mkdtemp(join(tmpdir(), 'boxoffice-bases-'));
  const made: readonly (readonly [string, (scratch: string) => Promise<unknown>])[] = [
    [localBases.build, buildBase],
    [localBases.run, runBase],
    [localBases.rabbitmq, rabbitmqBase],
    [localBases.mongodb, mongodbBase],
  ];
  try {
    for (const [name, make] of made) {
      if (await exists(name)) continue;
      tell(`making the local base image ${name}`);
      await make(scratch);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};
