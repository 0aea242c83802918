import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { accessCheck, refusals } from '../clients/credentials.ts'
import { FunctionError } from '../functions/errors.ts'
import type { FunctionHost } from '../functions/host.ts'
import { closeServer, listen } from '../server/listen.ts'
import { readJson, sendJson } from '../server/read-json.ts'

export interface InvokeApiOptions {
  functions: readonly FunctionSpec[]
  host: FunctionHost
  /** The required access key id; without it, every id passes. */
  accessKeyId?: string | undefined
}

export interface InvokeApi {
  endpoint: string
  close(): Promise<void>
}

/** The payload limit of a synchronous invocation on Lambda: 6 MB. */
const maxBytes = 6 << 20

/** Starts Lambda's Invoke API on loopback, for functions that only other functions call. All calls are synchronous. */
export async function startInvokeApi(options: InvokeApiOptions): Promise<InvokeApi> {
  const { functions, host } = options
  const access = accessCheck(options.accessKeyId)
  const invoked = new Set(
    functions.filter(({ trigger }) => trigger.kind === 'invoke').map(({ name }) => name),
  )

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refusal = access(request.headers.authorization)
    if (refusal) {
      refuse(response, 403, refusals[refusal].type, refusals[refusal].message)
      return
    }
    const name = functionIn(request)
    if (name === undefined || !invoked.has(name)) {
      refuse(response, 404, 'ResourceNotFoundException', `Function not found: ${name ?? 'none'}`)
      return
    }
    const event = await readJson(request, maxBytes).catch(() => undefined)
    if (event === undefined) {
      refuse(response, 400, 'InvalidRequestContentException', 'Could not parse request body')
      return
    }
    await answer(response, name, event)
  }

  /** The call succeeds with status 200 even if the function failed, as on Lambda. */
  async function answer(response: ServerResponse, name: string, event: unknown): Promise<void> {
    response.setHeader('x-amz-executed-version', '$LATEST')
    try {
      const outcome = await host.invoke(name, event)
      sendJson(response, 200, outcome.streamed ? null : outcome.result)
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error
      response.setHeader('x-amz-function-error', 'Unhandled')
      sendJson(response, 200, { errorType: error.errorType, errorMessage: error.message })
    }
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) =>
      refuse(response, 500, 'ServiceException', String(error)),
    )
  })
  const port = await listen(server, 0)
  return { endpoint: `http://127.0.0.1:${port}`, close: () => closeServer(server, 1000) }
}

function functionIn({ method, url = '' }: IncomingMessage): string | undefined {
  if (method !== 'POST') return undefined
  return /^\/2015-03-31\/functions\/([\w-]+)\/invocations$/.exec(url)?.[1]
}

function refuse(response: ServerResponse, status: number, type: string, message: string): void {
  response.setHeader('x-amzn-errortype', type)
  sendJson(response, status, { Type: status < 500 ? 'User' : 'Service', message })
}
