import { Worker } from 'node:worker_threads'
import type { FromRuntime, RuntimeSpec, ToRuntime } from './protocol.ts'
import { createRuntime } from './runtime.ts'

/** The way to a running function: a thread or a process of its own, or this very process. */
export interface Link {
  send(message: ToRuntime): void
  /** Ends it at once, also in the middle of work. */
  end(): Promise<void>
}

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
  worker.on('message', options.onMessage)
  worker.on('error', (error: Error) => {
    reason = `${error.name}: ${error.message}`
    options.onLine(error.stack ?? reason)
  })
  worker.on('exit', (code) => options.onExit(reason ?? `exited with code ${code}`))
  for (const stream of [worker.stdout, worker.stderr]) readLines(stream, options.onLine)
  return {
    send: (message) => worker.postMessage(message, []),
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
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line !== '') onLine(line)
  })
  stream.on('end', () => {
    if (rest !== '') onLine(rest)
  })
}
