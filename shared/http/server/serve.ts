import { createLog } from '../../platform/log.ts'
import { type Handler, type HandlerOptions, requestHandler } from './handler.ts'
import { startServer } from './server.ts'

/** How often the number of requests under way is said, by which the service is scaled. */
const gaugeMs = 20_000

/** Of the 120 s after which Fargate kills a task that it told to stop, 15 are for what is cut off to be settled. */
const longestGraceMs = 100_000

/** What a stream takes of a container's memory, half of which is for streams. */
const streamMb = 0.5

/**
 * The handler of a function that runs as a service, whose faults are in its log.
 * @param memoryMb of its container: beyond what it has room for, requests are refused, since one too many would end them all
 */
export function serviceHandler(
  app: HandlerOptions['app'],
  { timeoutSeconds, memoryMb }: Pick<HandlerOptions, 'timeoutSeconds'> & { memoryMb: number },
): Handler {
  const log = createLog({ function: process.env.FUNCTION_NAME })
  const onFault = (error: unknown) => log.error('an answer broke off', { error })
  const mostUnderWay = Math.floor(memoryMb / 2 / streamMb)
  return requestHandler({ app, timeoutSeconds, mostUnderWay, onFault })
}

/**
 * Runs a handler as a process of its own, as a container does: PORT says where (8080), DRAIN_SECONDS how long what is under
 * way may take after a SIGTERM (100). A fault that nothing caught ends the process the same way: the other requests here
 * have done nothing wrong.
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
    log.error('nothing caught this', { error })
    void end(1)
  })

  starting
    .then(({ port }) => log.info('listening', { port }))
    .catch((error: unknown) => {
      log.error('cannot listen', { error })
      process.exit(1)
    })
  setInterval(sayUnderWay, gaugeMs).unref()

  function sayUnderWay(): void {
    const { underWay } = handler
    const metrics = { by: [['function']], of: { RequestsUnderWay: [underWay, 'Count'] } } as const
    log.info('under way', { underWay }, metrics)
  }
}
