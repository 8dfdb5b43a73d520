import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import * as ec2 from '@aws-sdk/client-ec2';
import * as iam from '@aws-sdk/client-iam';
import { NormalizedSchema } from '@smithy/core/schema';
import { type Answers, pageOf } from './idle-cluster.ts';
import { listening } from './listening.ts';

/** Something that answers over HTTP, in AWS's words, what AWS answered before. */
export interface AwsStandIn {
  readonly url: string;
  /** How often each operation was called, and refused because nothing is known to answer. */
  readonly calls: Map<string, number>;
  readonly stop: () => void;
}

/** Serves recorded answers on loopback; hints are taken and forgotten. */
export async function standInForAws(answers: Answers): Promise<AwsStandIn> {
  const calls = new Map<string, number>();
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const target = String(request.headers['x-amz-target'] ?? '').split('.')[1];
    const asked = target ? JSON.parse(body) : Object.fromEntries(new URLSearchParams(body));
    const operation = target ?? asked.Action ?? '';
    calls.set(operation, (calls.get(operation) ?? 0) + 1);
    const answer =
      operation === 'SendMessage'
        ? { MessageId: 'm', MD5OfMessageBody: md5(asked.MessageBody) }
        : answers.get(pageOf(operation, asked.NextToken ?? asked.Marker));
    if (answer === undefined) {
      response.writeHead(400, { 'content-type': 'text/xml' });
      response.end(
        `<Response><Errors><Error><Code>InvalidAction</Code></Error></Errors></Response>`,
      );
    } else if (target === undefined) {
      response.writeHead(200, { 'content-type': 'text/xml' });
      response.end(inXml(operation, answer));
    } else {
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(answer));
    }
  });
  const port = await listening(server);
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

type Schema = Parameters<typeof NormalizedSchema.of>[0];

/** EC2 answers with the result itself; IAM puts it into an element of its own. */
function inXml(operation: string, answer: unknown): string {
  const name = `${operation}Response`;
  const inIam = schemaOf(iam, `${operation}Response$`);
  if (inIam) {
    const result = element(`${operation}Result`, NormalizedSchema.of(inIam), answer);
    return `<${name}>${result}</${name}>`;
  }
  const schema = schemaOf(ec2, `${operation}Result$`) ?? schemaOf(ec2, `${operation}Response$`);
  return schema ? element(name, NormalizedSchema.of(schema), answer) : `<${name}/>`;
}

const schemaOf = (client: object, name: string): Schema | undefined =>
  Object.entries(client).find(([each]) => each === name)?.[1];

function element(name: string, schema: NormalizedSchema, value: unknown): string {
  return `<${name}>${contentOf(schema, value)}</${name}>`;
}

function contentOf(schema: NormalizedSchema, value: unknown): string {
  if (schema.isListSchema() && Array.isArray(value)) {
    const item = schema.getValueSchema();
    const name = item.getMergedTraits().xmlName ?? 'member';
    return value.map((each) => element(name, item, each)).join('');
  }
  if (schema.isStructSchema()) {
    return [...schema.structIterator()]
      .map(([member, of]) => {
        const held = Object(value)[member];
        const name = of.getMemberTraits().xmlName ?? member;
        return held === undefined ? '' : element(name, of, held);
      })
      .join('');
  }
  return escaped(value instanceof Date ? value.toISOString() : String(value));
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
