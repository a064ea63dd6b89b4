export { type DemoCredentials, demoFile, readDemo } from './demo/credentials.ts';
export { ensureDemo, type Progress, progressCollections, progressIn } from './demo/seed.ts';
export { lockDirectory, placeOf, type Running, readRunning } from './running.ts';
export { createProgressLine } from './screen.ts';
