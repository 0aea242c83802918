import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import type { FunctionSpec, Surface } from '#shared/manifest/index.ts'
import { FunctionError } from '../functions/errors.ts'
import type { FunctionHost } from '../functions/host.ts'
import { closeServer, listen } from '../server/listen.ts'
import { answerFailure, answerJson, answerResult, responseSink } from './answer.ts'
import { readBody, uploadOf } from './body.ts'
import { toEvent } from './event.ts'
import { toRestEvent } from './rest-event.ts'
import { routeTable } from './routes.ts'
import { parseTarget } from './target.ts'

export interface SurfaceOptions {
  surface: Surface
  functions: readonly FunctionSpec[]
  host: FunctionHost
  /** 0 picks a free one. */
  port: number
  /** Returns the listener of a function that runs as a service. */
  serviceOf?: ((name: string) => Promise<RequestListener> | undefined) | undefined
  /** Returns pages that are served without a function. @param url the address that browsers use */
  pagesOf?: ((url: string) => Pages[]) | undefined
  /** Called when an invocation returns no result. */
  onFailure(name: string, error: unknown): void
}

/** Static files that a surface serves itself, as an edge does. */
export interface Pages {
  /** Returns whether a path belongs to these pages. */
  takes(pathname: string): boolean
  serve(request: IncomingMessage, response: ServerResponse, target: URL): Promise<void>
}

export interface RunningSurface {
  url: string
  port: number
  /** Accepts nothing new, lets requests finish for `graceMs`, then cuts them. */
  close(graceMs: number): Promise<void>
}

/** Serves a surface's public address with node:http: does what the APIs do between a socket and a function. */
export async function startSurface(options: SurfaceOptions): Promise<RunningSurface> {
  const { host, onFailure } = options
  const routeOf = routeTable(options.functions, options.surface)

  // All groups of a surface share one setting: stacks/streams.ts.
  const binary = options.functions.some(
    ({ trigger }) =>
      trigger.kind === 'http' && trigger.surface === options.surface && trigger.uploads === true,
  )
  let pages: Pages[] = []

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = parseTarget(request.url ?? '/')
    if (target === undefined) return answerJson(response, 400, { error: 'Bad request' })
    const page = pages.find(({ takes }) => takes(target.pathname))
    if (page !== undefined) return page.serve(request, response, target)
    const route = routeOf(target.pathname)
    if (route === undefined) return answerJson(response, 404, { message: 'Not Found' })
    const { name, trigger } = route.spec
    const service = await options.serviceOf?.(name)
    if (service !== undefined) return service(request, response)
    const streaming = trigger.kind === 'http' && trigger.streaming === true
    const takesUploads = trigger.kind === 'http' && trigger.uploads === true
    const body = takesUploads ? undefined : await readBody(request)
    // The rest of the body is read and dropped, so that a client that is still sending can read the response.
    if (body === 'too-large')
      return answerJson(response, 413, { error: 'The request body is too large' })
    try {
      const outcome = await host.invoke(
        name,
        streaming
          ? toRestEvent(request, target, route, body, binary)
          : toEvent(request, target, route, body),
        streaming
          ? {
              sink: responseSink(response),
              signal: goneSignal(response),
              ...(takesUploads && { upload: uploadOf(request) }),
            }
          : {},
      )
      if (outcome.streamed) response.end()
      else answerResult(response, outcome.result)
    } catch (error) {
      onFailure(name, error)
      const reported = { errorType: 'Error', errorMessage: String(error), trace: [] }
      const failure = error instanceof FunctionError ? error : new FunctionError('failed', reported)
      answerFailure(response, failure, streaming)
    }
  }

  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    serve(request, response).catch(() => response.destroy())
  })
  const port = await listen(server, options.port)
  pages = options.pagesOf?.(`http://localhost:${port}`) ?? []
  return { url: `http://127.0.0.1:${port}`, port, close: (graceMs) => closeServer(server, graceMs) }
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  return gone.signal
}
