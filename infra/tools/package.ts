/** Makes what is published, `import { Joinery } from 'joinery'` and the command: `npm run build:package`. */
import { packageAll } from '../package.ts';

process.stdout.write(`${await packageAll(process.cwd())}: npm pack or npm publish there\n`);
