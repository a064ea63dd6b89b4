import { storeConformance } from '../../src/conformance/index.ts';
import { describeMongo } from './describe.ts';
import { mongoEngine } from './engine.ts';

// The wire-protocol server of the tests has no query planner; set TEST_MONGODB_LARGE=1 on a real MongoDB.
const without = process.env.TEST_MONGODB_LARGE === '1' ? [] : ['large'];

describeMongo('the store on MongoDB', (url) => storeConformance('MongoDB', mongoEngine(url), without));
