import { storeConformance } from '../../src/conformance/index.ts';
import { describeMongo } from './describe.ts';
import { mongoEngine } from './engine.ts';

describeMongo('the store on MongoDB', (url) => storeConformance('MongoDB', mongoEngine(url)));
