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
  // Half of the time suites wait, for deadlines, disks and other processes: one more at a time than processors.
  maxWorkers: Math.min(availableParallelism() + 1, 8),
  // Modules of ended suites stay in the heap of their worker: hundreds of suites would exceed its limit of 4 GB.
  workerIdleMemoryLimit: '1500MB',
  // A worker frees its heap when it has nothing left to do, which takes longer than the usual half second: jest would
  // take that for something that a suite left open.
  workerGracefulExitTimeout: 10_000,
};
