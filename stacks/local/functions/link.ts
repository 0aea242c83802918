import { Worker } from 'node:worker_threads'
import type { DatabaseAnswer, FromRuntime, FromThread, RuntimeSpec, ToRuntime } from './protocol.ts'
import { createRuntime } from './runtime.ts'

/** The way to a running function: a thread or a process of its own, or this very process. */
export interface Link {
  send(message: ToRuntime): void
  /** Ends it at once, also in the middle of work. */
  end(): Promise<void>
}

/** Runs an operation of the embedded database. */
export type AskDatabase = (operation: string, input: string) => DatabaseAnswer

export interface LinkOptions {
  spec: RuntimeSpec
  environment: Record<string, string>
  /** What the thread or the process runs. */
  program: string
  /** Where compiled code is kept between starts. */
  cacheDir: string
  onMessage(message: FromRuntime): void
  /** It is gone, by its own doing or ours. */
  onExit(reason: string): void
  /** A line that the function wrote to its output. */
  onLine(line: string): void
}

export type OpenLink = (options: LinkOptions) => Link

/**
 * A worker thread with an environment of its own, so that what the manifest does not grant is absent here too. Its
 * memory is not limited as on Lambda: a thread over a limit often takes the whole process with it.
 */
export function openThread(options: LinkOptions): Link {
  const worker = new Worker(options.program, {
    workerData: { spec: options.spec, cacheDir: options.cacheDir },
    env: options.environment,
    execArgv: [],
    name: options.spec.name,
    stdout: true,
    stderr: true,
    // Megabytes for new objects: most functions make few, and there are many functions.
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
      // A Buffer is often a small view of a large pool, which would be cloned whole.
      const bytes = new Uint8Array(message.bytes)
      worker.postMessage({ ...message, bytes }, [bytes.buffer])
    },
    end: async () => void (await worker.terminate()),
  }
}

/** The same in this process: no isolation and this process's environment, for benchmarks of the function alone. */
export function openInline(options: LinkOptions): Link {
  Object.assign(process.env, options.environment)
  const runtime = createRuntime(options.spec, options.onMessage)
  return {
    send: (message) => runtime.receive(message),
    end: async () => options.onExit('ended'),
  }
}

/** Hands on what is written to a stream line by line. */
export function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  const reader = lineReader(onLine)
  stream.setEncoding('utf8')
  stream.on('data', reader.take)
  stream.on('end', reader.end)
}

/** Collects text and hands it on line by line. */
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
