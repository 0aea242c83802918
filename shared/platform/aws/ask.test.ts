import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpRequest } from '@smithy/core/protocols'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { eventually } from '#tests/support/clock/eventually.ts'
import { askService } from './ask.ts'

interface Received {
  headers: IncomingMessage['headers']
  body: string
}

type Answer = (response: ServerResponse) => void

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
  vi.unstubAllEnvs()
})

/** A service that gives the answers in turn; the last one again. */
async function service(...answers: Answer[]) {
  vi.stubEnv('AWS_REGION', 'eu-central-1')
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  const received: Received[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      answer?.(response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = askService({ name: 'dynamodb', target: 'DynamoDB_20120810', endpoint, attempts: 4 })
  return { ask, received }
}

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers })
    response.end(JSON.stringify(body))
  }
const fine = json(200, { Item: { pk: { S: 'a' } } })
const refusal = (name: string) =>
  json(400, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `It is ${name}.` })
const cut: Answer = (response) => response.socket?.destroy()
const cutInTheMiddle: Answer = (response) => {
  response.writeHead(200, { 'content-length': '100' })
  response.write('{"Item"', () => response.socket?.destroy())
}

function timeOf({ headers }: Received): Date {
  const basic = String(headers['x-amz-date'])
  return new Date(basic.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'))
}

/** Returns the id of the key that signed a request. */
const keyOf = ({ headers }: Received) => /Credential=(\w+)/.exec(`${headers.authorization}`)?.[1]

/** Returns the signature that the SDK gives a received request. */
async function signatureOf({ headers, body }: Received): Promise<string | undefined> {
  const { authorization = '', host = '', 'x-amz-date': _, ...rest } = headers
  const [, list = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? []
  const signed = Object.fromEntries(
    list
      .split(';')
      .filter((name) => name in rest && name !== 'x-amz-security-token')
      .map((name) => [name, String(rest[name])]),
  )
  const signer = new SignatureV4({
    service: 'dynamodb',
    region: 'eu-central-1',
    credentials: {
      accessKeyId: 'AKIDEXAMPLE',
      secretAccessKey: 'secret',
      ...(rest['x-amz-security-token'] !== undefined && {
        sessionToken: String(rest['x-amz-security-token']),
      }),
    },
    sha256: Hash.bind(null, 'sha256'),
    applyChecksum: false,
  })
  const request = new HttpRequest({ method: 'POST', path: '/', body, headers: { host, ...signed } })
  const result = await signer.sign(request, { signingDate: timeOf({ headers, body }) })
  return result.headers['authorization']
}

describe('a request to a service of AWS', () => {
  it.each([undefined, 'a/token+of=Lambda'])(
    'has the signature that the SDK would give it, with the session token %s',
    async (token) => {
      const { ask, received } = await service(fine)
      vi.stubEnv('AWS_SESSION_TOKEN', token)
      await ask('GetItem', { TableName: 'täble 😀', Key: { pk: { S: 'a\u0000"b' } } })
      const [request] = received
      expect(request?.headers).toMatchObject({
        'x-amz-target': 'DynamoDB_20120810.GetItem',
        'content-type': 'application/x-amz-json-1.0',
      })
      expect(request?.headers.authorization).toBe(await signatureOf(request!))
    },
  )

  it('uses the credentials that the environment has when it is sent', async () => {
    const { ask, received } = await service(fine)
    await ask('GetItem', {})
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDNEXT')
    await ask('GetItem', {})
    expect(received.map(keyOf)).toEqual(['AKIDEXAMPLE', 'AKIDNEXT'])
  })

  it('carries the trace of its invocation on Lambda only', async () => {
    const { ask, received } = await service(fine)
    vi.stubEnv('_X_AMZN_TRACE_ID', 'Root=1-a;Lineage=1:a:3')
    await ask('GetItem', {})
    vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'mails')
    await ask('GetItem', {})
    const traces = received.map(({ headers }) => headers['x-amzn-trace-id'])
    expect(traces).toEqual([undefined, 'Root=1-a;Lineage=1:a:3'])
    expect(received[1]?.headers.authorization).toBe(await signatureOf(received[1]!))
  })

  it.each<[string, Answer]>([
    ['a throttled request', refusal('ProvisionedThroughputExceededException')],
    ['an internal error', json(500, { __type: 'InternalServerError' })],
    ['a page of a load balancer', (response) => response.writeHead(503).end('<html>Busy</html>')],
    ['a connection that is cut', cut],
    ['an answer that is cut', cutInTheMiddle],
  ])('is repeated after %s', async (_, failure) => {
    const { ask, received } = await service(failure, failure, fine)
    expect(await ask('GetItem', { TableName: 'a' })).toEqual({ Item: { pk: { S: 'a' } } })
    expect(new Set(received.map(({ body }) => body))).toEqual(new Set(['{"TableName":"a"}']))
    expect(received).toHaveLength(3)
  })

  it('fails with the service’s error after its last attempt', async () => {
    const { ask, received } = await service(refusal('ThrottlingException'))
    await expect(ask('GetItem', {})).rejects.toMatchObject({
      name: 'ThrottlingException',
      message: 'It is ThrottlingException.',
    })
    expect(received).toHaveLength(4)
  })

  it('is not repeated after a refusal', async () => {
    const { ask, received } = await service(refusal('ConditionalCheckFailedException'), fine)
    await expect(ask('PutItem', {})).rejects.toMatchObject({
      name: 'ConditionalCheckFailedException',
    })
    expect(received).toHaveLength(1)
  })

  it('takes over the service’s clock if this machine’s clock is wrong', async () => {
    const date = new Date(Date.now() + 3_600_000)
    const skewed = json(
      400,
      { __type: 'com.amazon.coral.service#InvalidSignatureException', message: 'Not yet current' },
      { date: date.toUTCString() },
    )
    const { ask, received } = await service(skewed, fine)
    expect(await ask('GetItem', {})).toEqual({ Item: { pk: { S: 'a' } } })
    const sent = timeOf(received[1]!).getTime()
    expect(Math.abs(sent - date.getTime())).toBeLessThan(60_000)
  })

  it('gets its credentials from the SDK’s chain without keys in the environment, and renews them in time', async () => {
    const { ask, received } = await service(fine)
    const lifetimes = [299, 3600]
    let given = 0
    const source = createServer((_, response) => {
      const seconds = lifetimes[given] ?? 3600
      given += 1
      response.end(
        JSON.stringify({
          AccessKeyId: `AKID${given}`,
          SecretAccessKey: 'secret',
          Token: 'token',
          Expiration: new Date(Date.now() + seconds * 1000).toISOString(),
        }),
      )
    })
    await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve))
    closing.push(() => source.close())
    const { port } = source.address() as AddressInfo
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined)
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/dev/null')
    vi.stubEnv('AWS_CONFIG_FILE', '/dev/null')
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `http://127.0.0.1:${port}/`)
    await ask('GetItem', {})
    expect(received.map(keyOf)).toEqual(['AKID1'])
    await eventually(async () => {
      await ask('GetItem', {})
      expect(keyOf(received.at(-1)!)).toBe('AKID2')
    })
    await ask('GetItem', {})
    expect([keyOf(received.at(-1)!), given]).toEqual(['AKID2', 2])
  })
})
