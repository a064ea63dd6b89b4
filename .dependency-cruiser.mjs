// Who may import whom. CONTRIBUTING.md tells why; `npm run check` enforces it.
const libraries = '^libs/';
const programs = '^(deploy|tests)/';
const browser = '^(gateway|services/[^/]+)/browser/';
const services = '^(gateway|authorizer|services/[^/]+)/';

/** Only the first path may import the second. */
const only = (name, from, to, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { pathNot: from },
  to: { path: to },
});

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    // The server of a browser's program serves files of packages there.
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true, pathNot: '^\\./lib/' } },
    {
      name: 'no-undeclared-packages',
      comment:
        'third-party packages stand in the importing own package.json (tests may use those of the root); an undeclared workspace package does not resolve',
      severity: 'error',
      from: { pathNot: '(/test/|/testkit/|/conformance/|\\.config\\.mjs$)' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'libraries-know-no-service',
      severity: 'error',
      from: { path: libraries },
      to: { path: [services, programs] },
    },
    {
      name: 'store-and-messaging-stand-alone',
      comment:
        'they meet in libs/service and in the programs; of the runtime they know deadlines, intervals and the list of services alone',
      severity: 'error',
      from: { path: '^libs/(store|messaging|runtime|envelope)/src/' },
      to: { path: '^libs/', pathNot: ['^libs/$1/', '^libs/runtime/src/(time\\.ts|services/)'] },
    },
    {
      name: 'services-talk-http-or-events',
      comment: 'gateway, authorizer and services import libraries only, never one another',
      severity: 'error',
      from: { path: '^(gateway|authorizer|services/[^/]+)/' },
      to: { path: [services, programs], pathNot: '^$1/' },
    },
    {
      name: 'servers-import-no-browser-program',
      comment: 'a folder browser/ is served as files; one module of pos loads what runs on both sides',
      severity: 'error',
      from: { pathNot: browser },
      to: { path: browser },
    },
    {
      name: 'browser-programs-stand-alone',
      comment: 'browsers load them as they are, by paths within the folder or to the packages served at ./lib/',
      severity: 'error',
      from: { path: browser },
      to: { pathNot: ['^$1/browser/', '^\\./lib/'] },
    },
    {
      name: 'nothing-imports-programs',
      severity: 'error',
      from: { pathNot: programs },
      to: { path: programs },
    },
    {
      name: 'testkits-are-for-tests',
      severity: 'error',
      from: { pathNot: '(/test/|^libs/service/src/testkit/)' },
      to: { path: '^libs/service/src/testkit/' },
    },
    {
      name: 'the-client-stands-alone',
      comment: 'partners install it, also for browsers: no package of the workspace, no dependency, nothing of Node',
      severity: 'error',
      from: { path: '^libs/client/src/' },
      to: { pathNot: '^libs/client/src/' },
    },
    {
      name: 'the-client-is-for-programs-and-tests',
      severity: 'error',
      from: { pathNot: '(^libs/client/|^(deploy|tests)/|/test/)' },
      to: { path: '^libs/client/' },
    },
    {
      name: 'through-the-exported-entry',
      comment: 'a package is imported by its name, not by a path into it',
      severity: 'error',
      from: { path: '^(libs/[^/]+|gateway|authorizer|services/[^/]+|(deploy|tests)/[^/]+)/' },
      to: {
        path: '^(libs/[^/]+|gateway|authorizer|services/[^/]+|(deploy|tests)/[^/]+)/',
        pathNot: [
          '^$1/',
          '/src/(index|contact-exception|compile-cache|conformance/index|testkit/index|time|locale/local-time|services/index|pos/index|new-service)\\.ts$',
        ],
      },
    },
    {
      name: 'domain-is-pure',
      comment: 'rules take clock, ids and randomness as arguments and import nothing but the arithmetic of prices',
      severity: 'error',
      from: { path: '^((authorizer|services/[^/]+)/src/domain/|libs/prices/src/)' },
      to: { pathNot: '^((authorizer|services/[^/]+)/src/domain/|libs/prices/src/)' },
    },
    only(
      'sqlite-only-in-its-engine',
      '^(libs/store/(src/sqlite|test/)|tests/(bench|faults/src/deployment)/)',
      '^(node:)?sqlite$',
      'engines import drivers',
    ),
    only('mongodb-only-in-its-engine', '^libs/store/(src/mongo|test/)', '/mongodb/', 'engines import drivers'),
    only('amqplib-only-in-its-engine', '^libs/messaging/(src/rabbitmq|test/)', '/amqplib/', 'engines import drivers'),
    only(
      'stripe-only-behind-the-port',
      '^(services/payments/(src/(provider/stripe\\.ts|simulator/)|test/)|tests/faults/src/inside/stripe-double)',
      '/stripe/',
      'the service knows the port of six functions',
    ),
    only(
      'the-exception-belongs-to-contacts',
      '^(libs/envelope|services/contacts)/',
      '^libs/envelope/src/contact-exception',
      'data is null on errors, but for the one exception that contacts can build',
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(/dist/|/node_modules/\\.bin/)' },
    // It sees type-only imports too; tsPreCompilationDeps would ask for a TypeScript compiler older than 7.
    parser: 'swc',
    combinedDependencies: false,
    enhancedResolveOptions: { conditionNames: ['source', 'import', 'node', 'default'], exportsFields: ['exports'] },
  },
};
