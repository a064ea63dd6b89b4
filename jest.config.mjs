import { availableParallelism } from 'node:os';

// Every suite runs as ESM on the TypeScript sources; see CONTRIBUTING.md for what a test may do.
export default {
  testEnvironment: 'node',
  testMatch: ['**/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
  modulePathIgnorePatterns: ['/dist/'],
  extensionsToTreatAsEsm: ['.ts'],
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  transform: {
    '\\.ts$': [
      '@swc/jest',
      { module: { type: 'es6' }, jsc: { target: 'es2024', parser: { syntax: 'typescript' } }, sourceMaps: 'inline' },
    ],
  },
  // Tells a hang from a slow machine.
  testTimeout: 300_000,
  testSequencer: '<rootDir>/jest.sequencer.mjs',
  // Suites spend half of their time waiting, for deadlines and other processes: one more than there are processors.
  // Still more starve the suites that start whole products.
  maxWorkers: Math.min(availableParallelism() + 1, 8),
};
