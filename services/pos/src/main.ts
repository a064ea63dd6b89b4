import { runService } from '@boxoffice/service';
import { pos } from './app.ts';

await runService(pos);
