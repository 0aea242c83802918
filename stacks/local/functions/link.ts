import { Worker } from 'node:worker_threads'
import type { DatabaseAnswer, FromRuntime, FromThread, RuntimeSpec, ToRuntime } from './protocol.ts'
import { createRuntime } from './runtime.ts'

/** The connection to a running function in a thread, in a process, or in this process. */
export interface Link {
  send(message: ToRuntime): void
  /** Ends the function immediately, even during an invocation. */
  end(): Promise<void>
}

export type AskDatabase = (operation: string, input: string) => DatabaseAnswer

export interface LinkOptions {
  spec: RuntimeSpec
  environment: Record<string, string>
  /** The program of the thread or process. */
  program: string
  /** The folder for compiled code, kept between starts. */
  cacheDir: string
  onMessage(message: FromRuntime): void
  /** The thread or process has ended, by itself or by `end`. */
  onExit(reason: string): void
  /** Receives each line that the function writes. */
  onLine(line: string): void
}

export type OpenLink = (options: LinkOptions) => Link

/**
 * Runs a function in a worker thread with its own environment, so that what the manifest does not grant is absent here
 * too. Its memory is not limited as on Lambda, because a thread over its limit often takes the whole process down.
 */
export function openThread(options: LinkOptions): Link {
  const worker = new Worker(options.program, {
    workerData: { spec: options.spec, cacheDir: options.cacheDir },
    env: options.environment,
    execArgv: [],
    name: options.spec.name,
    stdout: true,
    stderr: true,
    // Megabytes for new objects: most functions create few, and there are many functions.
    resourceLimits: { maxYoungGenerationSizeMb: 6 },
  })
  let reason: string | undefined
  const output = lineReader(options.onLine)
  worker.on('message', (message: FromThread) => {
    if (message.kind === 'output') output.take(message.text)
    else options.onMessage(message)
  })
  worker.on('error', (error: Error) => {
    reason = `${error.name}: ${error.message}`
    options.onLine(error.stack ?? reason)
  })
  worker.on('exit', (code) => {
    output.end()
    options.onExit(reason ?? `exited with code ${code}`)
  })
  for (const stream of [worker.stdout, worker.stderr]) readLines(stream, options.onLine)
  return {
    send(message) {
      if (message.kind !== 'part') return worker.postMessage(message, [])
      // A Buffer is often a small view of a large pool; the clone would copy the whole pool.
      const bytes = new Uint8Array(message.bytes)
      worker.postMessage({ ...message, bytes }, [bytes.buffer])
    },
    end: async () => void (await worker.terminate()),
  }
}

/** Runs a function in this process without isolation, for benchmarks of the function alone. */
export function openInline(options: LinkOptions): Link {
  Object.assign(process.env, options.environment)
  const runtime = createRuntime(options.spec, options.onMessage)
  return {
    send: (message) => runtime.receive(message),
    end: async () => options.onExit('ended'),
  }
}

/** Passes on the text of a stream line by line. */
export function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const reader = lineReader(onLine)
  stream.setEncoding('utf8')
  stream.on('data', reader.take)
  stream.on('end', reader.end)
}

/** Collects chunks of text and passes them on line by line. */
export function lineReader(onLine: (line: string) => void) {
  let rest = ''
  return {
    take(text: string): void {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') onLine(line)
    },
    end(): void {
      if (rest !== '') onLine(rest)
      rest = ''
    },
  }
}
