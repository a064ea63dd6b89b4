import { describeStoreConformance } from '../../src/conformance/index.ts';
import { describeMongo } from './describe.ts';
import { createMongoEngine } from './engine.ts';

describeMongo('the store on MongoDB', (url) => describeStoreConformance('MongoDB', createMongoEngine(url)));
