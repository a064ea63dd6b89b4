import { runService } from '@boxoffice/service';
import { orders } from './app.ts';

await runService(orders);
