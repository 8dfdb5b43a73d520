import type { IncomingMessage } from 'node:http';
import type { LineListener } from './transport.ts';

/**
 * Hands each line of a stream of JSON to `take` and resolves when the stream ends or `take` has had
 * enough, which cuts it off. What stands behind the last line break was never finished and is
 * dropped. Rejects where the connection breaks, and with what `take` throws.
 */
export function readLines(answer: IncomingMessage, take: LineListener): Promise<void> {
  return new Promise((resolve, reject) => {
    let unfinished = '';
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => {
      const lines = (unfinished + chunk).split('\n');
      unfinished = lines.pop() ?? '';
      try {
        if (!lines.some((line) => line !== '' && take(JSON.parse(line)) === 'enough')) return;
        resolve();
      } catch (error) {
        reject(error);
      }
      answer.removeAllListeners('data');
      answer.destroy();
    });
    answer.on('error', reject);
    answer.on('end', resolve);
  });
}
