import { messagingConformance } from '@boxoffice/messaging/conformance';
import { inProcess } from './engine.ts';

messagingConformance('the in-process bus', inProcess);
