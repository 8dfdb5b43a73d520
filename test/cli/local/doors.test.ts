import { afterEach, describe, expect, it } from 'vitest';
import { type Doors, openDoors } from '#lib/cli/local/doors.ts';

const open: Doors[] = [];
afterEach(async () => {
  for (const { close } of open.splice(0)) await close();
});

async function someDoors() {
  const heard: string[] = [];
  const doors = await openDoors(
    { host: '127.0.0.1', port: 0 },
    {
      admit: (body) => {
        heard.push(`admit ${body}`);
        return Promise.resolve({
          statusCode: 200,
          headers: { 'content-type': 'application/json' },
          body: '{"allowed":true}',
        });
      },
      announce: (body) => heard.push(`event ${body}`),
    },
  );
  open.push(doors);
  const post = (path: string, body: string) =>
    fetch(`${doors.url}${path}`, { method: 'POST', body });
  return { doors, heard, post };
}

describe('the doors of joinery local', () => {
  it('hand a call of the webhook on and give the answer back', async () => {
    const { heard, post } = await someDoors();
    const answer = await post('/admit?timeout=1s', '{"request":{}}');

    expect({ status: answer.status, said: await answer.json() }).toEqual({
      status: 200,
      said: { allowed: true },
    });
    expect(heard).toEqual(['admit {"request":{}}']);
  });

  it('take an announcement, and say what they are for to anybody else', async () => {
    const { doors, heard, post } = await someDoors();

    expect((await post('/events', '{"version":"0"}')).status).toBe(202);
    expect(heard).toEqual(['event {"version":"0"}']);
    expect((await post('/elsewhere', '')).status).toBe(404);
    expect(await (await fetch(doors.url)).text()).toContain('POST /admit for an AdmissionReview');
  });
});
