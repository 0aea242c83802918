import { join } from 'node:path'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { compilePrograms } from './compile-programs.ts'
import {
  type Instance,
  type InvokeOptions,
  type InvocationOutcome,
  startInstance,
} from './instance.ts'
import { type AskDatabase, openInline, openThread } from './link.ts'
import { openProcess } from './process-link.ts'

export interface HostOptions {
  functions: readonly FunctionSpec[]
  /** The folder that holds `<name>/index.cjs` for every function. */
  bundles: string
  /**
   * Waits until the bundle of a function is there. Default: all bundles are there. @throws Error if it cannot be made
   */
  prepare?: ((name: string, event: unknown) => Promise<unknown> | undefined) | undefined
  /** The folder for compiled code, kept between starts. */
  cacheDir: string
  /** The folder for the programs that functions run in. Default: `cacheDir`. */
  programsDir?: string
  /** Returns the whole environment of a function. */
  environmentOf(spec: FunctionSpec): Record<string, string>
  /** Receives each line that a function writes. */
  onLine(name: string, line: string): void
  /** The embedded database, for functions with a grant for its table. Without it, they use the SDK. */
  database?: AskDatabase | undefined
  /**
   * `inline` runs functions in this process, for benchmarks. Default `threads`: each function in a thread, but
   * functions that only other functions invoke in a process.
   */
  mode?: 'threads' | 'inline'
  /** A function that is not called for this long is ended, to free its memory. Default three minutes. */
  idleSeconds?: number
}

export interface FunctionHost {
  /**
   * Invokes a function, and starts it first if it does not run.
   * @throws FunctionError if there is no result
   */
  invoke(name: string, event: unknown, options?: InvokeOptions): Promise<InvocationOutcome>
  /** The program of a service's thread; absent if functions run in this process. */
  readonly serviceProgram?: string | undefined
  /** Ends every function immediately, even during an invocation. */
  close(): Promise<void>
}

/** A host that reports its load. */
export interface CountingHost extends FunctionHost {
  /** The number of invocations that have not ended. */
  readonly underWay: number
}

/** Runs the deployed bundles. Each function is isolated from the others and starts with its first call. */
export async function startFunctionHost(options: HostOptions): Promise<CountingHost> {
  const specs = new Map(options.functions.map((spec) => [spec.name, spec]))
  const running = new Map<string, { instance: Instance; usedAt: number }>()
  const all = new Set<Instance>()
  const { programsDir = options.cacheDir } = options
  const programs = options.mode === 'inline' ? undefined : await compilePrograms(programsDir)
  const carrierOf = ({ trigger }: FunctionSpec) => {
    if (programs === undefined) return { open: openInline, program: '' }
    if (trigger.kind === 'invoke') return { open: openProcess, program: programs.process }
    return { open: openThread, program: programs.thread }
  }
  const idleMs = (options.idleSeconds ?? 180) * 1000
  let closed = false
  let underWay = 0

  function start(spec: FunctionSpec): Instance {
    const { name, memoryMb, trigger } = spec
    const { open, program } = carrierOf(spec)
    const environment = options.environmentOf(spec)
    const database =
      open === openProcess || environment['DYNAMODB_ENDPOINT'] === undefined
        ? undefined
        : options.database
    const instance = startInstance(open, spec.timeoutSeconds, {
      spec: {
        name,
        memoryMb,
        bundle: join(options.bundles, name, 'index.cjs'),
        streaming: trigger.kind === 'http' && trigger.streaming === true,
        database: database !== undefined,
      },
      environment,
      database,
      program,
      cacheDir: options.cacheDir,
      onLine: (line) => options.onLine(name, line),
    })
    for (const other of all) if (!other.usable && other.idle) all.delete(other)
    all.add(instance)
    return instance
  }

  function release(name: string, instance: Instance): void {
    if (running.get(name)?.instance === instance) running.delete(name)
    all.delete(instance)
    void instance.end()
  }

  const sweeper = setInterval(
    () => {
      for (const [name, { instance, usedAt }] of running)
        if (instance.idle && Date.now() - usedAt >= idleMs) release(name, instance)
    },
    Math.min(idleMs, 60_000),
  )
  sweeper.unref()

  return {
    serviceProgram: programs?.service,

    async invoke(name, event, invokeOptions = {}) {
      if (closed) throw new Error('the function host is closed')
      const spec = specs.get(name)
      if (spec === undefined) throw new Error(`there is no function ${name}`)
      const preparing = options.prepare?.(name, event)
      if (preparing !== undefined) {
        await preparing
        if (closed) throw new Error('the function host is closed')
      }
      let entry = running.get(name)
      if (entry === undefined || !entry.instance.usable) {
        entry = { instance: start(spec), usedAt: 0 }
        running.set(name, entry)
      }
      entry.usedAt = Date.now()
      const { instance } = entry
      underWay++
      return instance.invoke(event, invokeOptions).finally(() => {
        underWay--
        // A schedule works for milliseconds per minute, so its memory is freed in between.
        if (spec.trigger.kind === 'schedule' && instance.idle) release(name, instance)
      })
    },

    get underWay() {
      return underWay
    },

    async close() {
      closed = true
      clearInterval(sweeper)
      await Promise.all([...all].map((instance) => instance.end()))
    },
  }
}
