import { LambdaClient, InvokeCommand, type InvokeCommandInput } from '@aws-sdk/client-lambda'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { lambdaInvoke } from '#shared/platform/procedures/lambda.ts'
import { localCredentials } from '../clients/credentials.ts'
import { type Harness, startHarness } from '../testing/harness.ts'
import { fixture } from '../testing/manifest.ts'
import { type InvokeApi, startInvokeApi } from './server.ts'

const own = localCredentials()
const functions = [
  fixture('invoked', 'http', { kind: 'invoke' }),
  fixture('public', 'http', { kind: 'http', surface: 'web', prefixes: ['/x'] }),
]

let harness: Harness
let api: InvokeApi

beforeAll(async () => {
  harness = await startHarness(functions)
  const { accessKeyId } = own.credentials
  api = await startInvokeApi({ functions, host: harness.host, accessKeyId })
})
afterAll(async () => {
  await api.close()
  await harness[Symbol.asyncDispose]()
})

async function invoke(
  FunctionName: string,
  event: unknown = { rawPath: '/calls' },
  { credentials = own, ...more }: Partial<InvokeCommandInput> & { credentials?: typeof own } = {},
) {
  const client = new LambdaClient({ endpoint: api.endpoint, ...credentials })
  onTestFinished(() => client.destroy())
  const Payload = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event))
  return client.send(new InvokeCommand({ FunctionName, Payload, ...more }))
}

describe('Invoke', () => {
  test('returns the function’s result', async () => {
    const { StatusCode, FunctionError, ExecutedVersion, Payload } = await invoke('invoked')
    expect([StatusCode, FunctionError, ExecutedVersion]).toEqual([200, undefined, '$LATEST'])
    expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toMatchObject({ statusCode: 200 })
  })

  test.each([
    ['throws', '/throw', 'TypeError'],
    ['exits', '/exit', 'Runtime.ExitError'],
  ])('reports the failure of a function that %s', async (_, rawPath, errorType) => {
    const { StatusCode, FunctionError, Payload } = await invoke('invoked', { rawPath })
    expect([StatusCode, FunctionError]).toEqual([200, 'Unhandled'])
    expect(JSON.parse(Buffer.from(Payload ?? []).toString())).toMatchObject({ errorType })
  })

  test.each(['unknown', 'public', '../invoked', '$LATEST'])(
    'rejects the function %s, which has an address',
    async (name) => {
      await expect(invoke(name)).rejects.toMatchObject({ name: 'ResourceNotFoundException' })
    },
  )

  test('rejects invalid JSON, and callers without this start’s key', async () => {
    await expect(invoke('invoked', '{')).rejects.toMatchObject({
      name: 'InvalidRequestContentException',
    })
    for (const credentials of [localCredentials(), localCredentials('guess')])
      await expect(invoke('invoked', {}, { credentials })).rejects.toMatchObject({
        name: 'UnrecognizedClientException',
      })
    const bare = await fetch(`${api.endpoint}/2015-03-31/functions/invoked/invocations`, {
      method: 'POST',
      body: '{}',
    })
    expect(bare.status).toBe(403)
  })
})

describe('the platform’s own caller', () => {
  const environment = {
    AWS_REGION: own.region,
    AWS_ACCESS_KEY_ID: own.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: own.credentials.secretAccessKey,
  }
  beforeAll(() => void Object.assign(process.env, environment))

  const call = (endpoint: string, rawPath: string) =>
    lambdaInvoke({ functionName: 'invoked', endpoint })({ rawPath })

  test('returns the result', async () => {
    expect(await call(api.endpoint, '/calls')).toMatchObject({ statusCode: 200 })
  })

  test('returns 503 for a function that ended or is unavailable', async () => {
    const unavailable = { name: 'PlatformError', kind: 'unavailable' }
    await expect(call(api.endpoint, '/exit')).rejects.toMatchObject(unavailable)
    await expect(call('http://127.0.0.1:1', '/calls')).rejects.toMatchObject(unavailable)
    expect(await call(api.endpoint, '/calls')).toMatchObject({ statusCode: 200 })
  })

  test('treats a failed function as an internal error, without its message', async () => {
    const failure = call(api.endpoint, '/throw')
    await expect(failure).rejects.toThrow('invoked failed: TypeError')
    await expect(failure).rejects.not.toMatchObject({ name: 'PlatformError' })
  })
})
