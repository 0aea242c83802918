import { createLog } from '#shared/platform/log.ts'
import { type Handler, type HandlerOptions, requestHandler } from './handler.ts'
import { startServer } from './server.ts'

/** Interval of the gauge of concurrent requests, the metric that scales the service. */
const gaugeMs = 20_000

/** Fargate kills a task 120 s after the stop request, and aborted requests need 15 s of this time to settle. */
const longestGraceMs = 100_000

/** The estimated memory of a stream, in MB. Half of the container's memory is available for streams. */
const streamMb = 0.5

/**
 * Creates the handler of a function that runs as a service; its errors are logged.
 * @param memoryMb the memory of its container: requests that do not fit are refused, because running out of memory
 * would end all requests
 */
export function serviceHandler(
  app: HandlerOptions['app'],
  { timeoutSeconds, memoryMb }: Pick<HandlerOptions, 'timeoutSeconds'> & { memoryMb: number },
): Handler {
  const log = createLog({ function: process.env.FUNCTION_NAME })
  const onFault = (error: unknown) => log.error('a response was interrupted', { error })
  const maxUnderWay = Math.floor(memoryMb / 2 / streamMb)
  return requestHandler({ app, timeoutSeconds, maxUnderWay, onFault })
}

/**
 * Runs a handler as a separate process, as in a container: it listens at PORT (default 8080), and running requests get
 * DRAIN_SECONDS (default 100) after a SIGTERM. An uncaught error ends the process in the same way, so that the other
 * requests can finish.
 */
export function serve(handler: Handler, environment: NodeJS.ProcessEnv): void {
  const log = createLog({ function: environment.FUNCTION_NAME })
  const graceMs = Number(environment.DRAIN_SECONDS ?? longestGraceMs / 1000) * 1000
  const place = { host: environment.HOST ?? '0.0.0.0', port: Number(environment.PORT ?? 8080) }
  const starting = startServer(handler, place)

  let ending = false
  async function end(code: number): Promise<void> {
    if (ending) return
    ending = true
    const server = await starting
    log.info('draining', { underWay: handler.underWay, graceMs })
    const { cut, lost } = await server.drain(graceMs)
    log[lost > 0 ? 'error' : 'info']('drained', { cut, lost })
    process.exit(code)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end(0))
  process.on('uncaughtException', (error) => {
    log.error('uncaught error', { error })
    void end(1)
  })

  starting
    .then(({ port }) => log.info('listening', { port }))
    .catch((error: unknown) => {
      log.error('cannot listen', { error })
      process.exit(1)
    })
  setInterval(logOpenRequests, gaugeMs).unref()

  function logOpenRequests(): void {
    const { underWay } = handler
    const metrics = { by: [['function']], of: { RequestsUnderWay: [underWay, 'Count'] } } as const
    log.info('under way', { underWay }, metrics)
  }
}
