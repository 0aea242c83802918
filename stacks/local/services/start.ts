import { setTimeout as wait } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { type AskDatabase, lineReader } from '../functions/link.ts'
import { PortInUseError } from '../server/listen.ts'
import type { RunningSurface } from '../surfaces/surface.ts'
import type { FromService, ServiceData, ToService } from './protocol.ts'

export interface ServiceOptions extends Omit<ServiceData, 'database'> {
  /** The program of its thread. */
  program: string
  /** Waits until its bundle is there. Default: it is there. @throws Error if it cannot be made */
  prepare?: (() => Promise<void> | undefined) | undefined
  /** Returns its whole environment; called with its first request. */
  environment(): Record<string, string>
  /** The embedded database, if the service has a grant for its table. */
  database: AskDatabase | undefined
  /** Receives each line that it writes. */
  onLine(line: string): void
}

/** Megabytes for new objects: model calls create many, and with less room half of them would be promoted needlessly. */
const youngGenerationMb = 48

/** The delay before a restarted thread tries its port again, if another process has taken it. */
const portTakenMs = 1000

/** The maximum number of answers in one message: with more, the service's thread would wait idle for the last. */
const maxTogether = 4

/**
 * Runs a service in a thread that listens on its own port. A thread that exits by itself is restarted on the same port.
 * @throws PortInUseError
 */
export async function startService(options: ServiceOptions): Promise<RunningSurface> {
  const { program, environment, database, onLine, prepare, ...data } = options
  let port = data.port
  let closing = false
  const listening = Promise.withResolvers<number>()

  let listened = false

  function start(): { worker: Worker; ended: Promise<void> } {
    let pauseMs = 0
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const output = lineReader(onLine)
    const workerData: ServiceData = { ...data, port, database: database !== undefined }
    const started = new Worker(program, {
      workerData,
      env: {},
      execArgv: [],
      name: data.name,
      stdout: true,
      resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMb },
    })
    const send = (message: ToService) => started.postMessage(message, [])
    let answers: Extract<ToService, { kind: 'answers' }>['answers'] = []
    const sendAnswers = () => {
      if (answers.length > 0) send({ kind: 'answers', answers })
      answers = []
    }
    started.on('message', (messages: FromService[]) => {
      for (const message of messages) take(message)
      sendAnswers()
    })
    function take(message: FromService): void {
      switch (message.kind) {
        case 'listening':
          port = message.port
          listened = true
          listening.resolve(port)
          break
        case 'cannot-listen':
          listening.reject(cannotListen(message.code, port))
          if (!listened) break
          onLine(`cannot listen at port ${port}: ${message.code}`)
          pauseMs = portTakenMs
          void started.terminate()
          break
        case 'load':
          void load()
          break
        case 'ask': {
          const { id, operation, input } = message
          const answer = database?.(operation, input)
          if (answer !== undefined) answers.push({ id, answer })
          if (answers.length === maxTogether) sendAnswers()
          break
        }
        case 'output':
          output.take(message.text)
          break
        case 'closed':
          end()
      }
    }
    async function load(): Promise<void> {
      try {
        await prepare?.()
      } catch (error) {
        onLine(String(error))
      }
      send({ kind: 'environment', values: environment() })
    }
    started.on('error', (error: Error) => onLine(error.stack ?? error.message))
    started.on('exit', (code) => {
      end()
      if (closing) return
      onLine(`exited with code ${code}`)
      setTimeout(() => {
        if (!closing) thread = start()
      }, pauseMs)
    })
    return { worker: started, ended }
  }

  let thread = start()
  try {
    await listening.promise
  } catch (error) {
    closing = true
    await thread.worker.terminate()
    throw error
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async close(graceMs) {
      closing = true
      const { worker, ended } = thread
      worker.postMessage({ kind: 'close', graceMs } satisfies ToService, [])
      await Promise.race([ended, wait(graceMs + 500, undefined, { ref: false })])
      await worker.terminate()
    },
  }
}

function cannotListen(code: string, port: number): Error {
  const error = Object.assign(new Error(`cannot listen: ${code}`), { code })
  return code === 'EADDRINUSE' ? new PortInUseError(port, { cause: error }) : error
}
