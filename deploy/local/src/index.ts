export { type DemoCredentials, getDemoFile, readDemo } from './demo/credentials.ts';
export { ensureDemo, openProgress, type Progress, progressCollections } from './demo/seed.ts';
export { describeStorage, lockDirectory, type Running, readRunning } from './running.ts';
export { createProgressLine } from './screen.ts';
