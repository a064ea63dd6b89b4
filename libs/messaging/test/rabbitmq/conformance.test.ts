import { messagingConformance } from '@boxoffice/messaging/conformance';
import { describeWithBroker } from './broker.ts';
import { rabbitmq } from './engine.ts';

describeWithBroker('with a broker:', (url) => messagingConformance('RabbitMQ', rabbitmq(url)));
