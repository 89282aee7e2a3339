import { serve } from '../serve.ts';

await serve('calc', () => import('./tools.ts'));
