import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import * as z from 'zod'
import { FunctionError } from '#stacks/local/functions/errors.ts'
import type { InvocationOutcome, InvokeOptions } from '#stacks/local/functions/instance.ts'
import { closeServer, listen } from '#stacks/local/server/listen.ts'
import { readStream } from './response-stream.ts'

export interface RuntimeApi {
  /** AWS_LAMBDA_RUNTIME_API: host and port. */
  address: string
  /** Rejects with the error that the runtime reports for its start. */
  initialized: Promise<void>
  /**
   * Invokes the function once the previous invocations are done.
   * @throws FunctionError that the runtime reports
   */
  invoke(event: unknown, options: InvokeOptions): Promise<InvocationOutcome>
  /** Fails the initialization and all invocations that have no result. */
  fail(error: FunctionError): void
  close(): Promise<void>
}

interface Invocation extends InvokeOptions {
  id: string
  body: string
  settle(outcome: InvocationOutcome): void
  fail(error: FunctionError): void
}

const version = '/2018-06-01/runtime'

const reportedError = z.object({
  errorType: z.string(),
  errorMessage: z.string(),
  trace: z.array(z.string()).default([]),
})

/**
 * Starts Lambda's Runtime API for one execution environment:
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
 */
export async function startRuntimeApi(arn: string, timeoutSeconds: number): Promise<RuntimeApi> {
  const waiting: Invocation[] = []
  const delivered = new Map<string, Invocation>()
  let polling: ServerResponse | undefined
  const initialized = Promise.withResolvers<void>()
  // A function that is ended before its first invocation has no reader for this error.
  initialized.promise.catch(() => {})

  function deliver(): void {
    const [next] = waiting
    if (polling === undefined || next === undefined) return
    waiting.shift()
    delivered.set(next.id, next)
    polling.writeHead(200, {
      'content-type': 'application/json',
      'lambda-runtime-aws-request-id': next.id,
      'lambda-runtime-deadline-ms': Date.now() + timeoutSeconds * 1000,
      'lambda-runtime-invoked-function-arn': arn,
      ...(next.trace !== undefined && { 'lambda-runtime-trace-id': next.trace }),
    })
    polling.end(next.body)
    polling = undefined
  }

  async function receive(request: IncomingMessage, id: string, kind: string): Promise<boolean> {
    const invocation = delivered.get(id)
    if (invocation === undefined) return false
    try {
      if (kind === 'error') throw new FunctionError('failed', await errorIn(request))
      const streams = request.headers['lambda-runtime-function-response-mode'] === 'streaming'
      if (streams) await readStream(request, invocation.sink)
      invocation.settle(
        streams ? { streamed: true } : { streamed: false, result: await json(request) },
      )
    } catch (error) {
      invocation.fail(error as FunctionError)
    }
    delivered.delete(id)
    return true
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request
    if (method === 'GET' && url === `${version}/invocation/next`) {
      polling = response
      initialized.resolve()
      return deliver()
    }
    if (method === 'POST' && url === `${version}/init/error`) {
      initialized.reject(new FunctionError('failed', await errorIn(request)))
      return accept(response, true)
    }
    const [, id = '', kind = ''] =
      /^\/2018-06-01\/runtime\/invocation\/([\w-]+)\/(response|error)$/.exec(url) ?? []
    accept(response, method === 'POST' && (await receive(request, id, kind)))
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const port = await listen(server, 0)
  return {
    address: `127.0.0.1:${port}`,
    initialized: initialized.promise,
    invoke(event, options) {
      const { promise, resolve: settle, reject: fail } = Promise.withResolvers<InvocationOutcome>()
      waiting.push({ ...options, id: randomUUID(), body: JSON.stringify(event), settle, fail })
      deliver()
      return promise
    },
    fail(error) {
      initialized.reject(error)
      for (const { fail } of [...waiting, ...delivered.values()]) fail(error)
    },
    close: () => closeServer(server, 0),
  }
}

function accept(response: ServerResponse, known: boolean): void {
  const body = known ? { status: 'OK' } : { errorType: 'InvalidRequestID', errorMessage: 'Unknown' }
  response.writeHead(known ? 202 : 400, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function errorIn(request: IncomingMessage) {
  return reportedError.parse(await json(request))
}
