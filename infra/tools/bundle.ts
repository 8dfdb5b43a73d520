/** Makes what Lambda runs: `npm run build`. Prints each bundle with its size. */
import { bundleAll } from '../bundle.ts';

for (const { name, folder, bytes } of await bundleAll(process.cwd())) {
  process.stdout.write(
    `${name.padEnd(12)} ${(bytes / 1024).toFixed(0).padStart(6)} KiB  ${folder}\n`,
  );
}
