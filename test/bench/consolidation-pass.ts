/** One pass of consolidation over a large cluster: processor seconds, megabytes, commands, savings. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeCatalog } from '#lib/cli/catalog-file.ts';
import { decideConsolidate } from '#lib/decide/consolidate.ts';
import { agedCluster } from './aged-cluster.ts';

const [nodes = 1_000, pods = 20_000] = process.argv.slice(2).map(Number);
const file = readFileSync('test/scenarios/provision/catalogs/us-east-1.json.gz');
const { instanceTypes, ...offered } = decodeCatalog(JSON.parse(gunzipSync(file).toString('utf8')));
const catalog = { ...offered, byNodeClass: new Map([['default', instanceTypes]]) };
const snapshot = agedCluster(nodes, pods, catalog);
const before = process.cpuUsage();
const { commands } = decideConsolidate(snapshot);
const seconds = process.cpuUsage(before).user / 1e6;
const saved = commands.reduce((sum, { savesUsdPerHour }) => sum + savesUsdPerHour, 0);
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
const figures = [seconds.toFixed(1), megabytes, commands.length, saved.toFixed(2)];
process.stdout.write(`${figures.join(' ')}\n`);
