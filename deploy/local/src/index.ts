export { type DemoCredentials, demoFile, readDemo } from './demo/credentials.ts';
export { type Progress, progressCollections, progressIn } from './demo/progress.ts';
export { ensureDemo } from './demo/seed.ts';
export { createProgressLine } from './progress-line.ts';
export { lockDirectory, placeOf, type Running, readRunning } from './running.ts';
