import { join } from 'node:path'
import type { FunctionSpec } from '../../../shared/manifest/index.ts'
import { compilePrograms } from './compile-programs.ts'
import { type Instance, type InvokeOptions, type Outcome, startInstance } from './instance.ts'
import { type AskDatabase, openInline, openThread } from './link.ts'
import { openProcess } from './process-link.ts'

export interface HostOptions {
  functions: readonly FunctionSpec[]
  /** Holds `<name>/index.cjs` for every function. */
  bundles: string
  /** Where compiled code is kept between starts. */
  cacheDir: string
  /** The whole environment of a function; it has no other variable. */
  environmentOf(spec: FunctionSpec): Record<string, string>
  /** A line that a function wrote. */
  onLine(name: string, line: string): void
  /** The embedded database, for functions in this process that are granted a table in it; without it they take the SDK's way. */
  database?: AskDatabase | undefined
  /**
   * `inline` runs functions in this process, for benchmarks. Default `threads`: each in a thread, but those that only
   * other functions call in a process.
   */
  mode?: 'threads' | 'inline'
  /** A function that was not called for so long is ended, to give back its memory. Default three minutes. */
  idleSeconds?: number
}

export interface FunctionHost {
  /**
   * Runs a function, starting it first where it does not run.
   * @throws FunctionError when it brings no result
   */
  invoke(name: string, event: unknown, options?: InvokeOptions): Promise<Outcome>
  /** What a service's thread runs; absent where functions run in this process. */
  readonly serviceProgram?: string | undefined
  /** Ends every function at once, also in the middle of work. */
  close(): Promise<void>
}

/** A host that says how busy it is. */
export interface CountingHost extends FunctionHost {
  /** Invocations that have not ended. */
  readonly underWay: number
}

/** Runs the bundles that are deployed, each function apart from the others, started when it is first called. */
export async function startFunctionHost(options: HostOptions): Promise<CountingHost> {
  const specs = new Map(options.functions.map((spec) => [spec.name, spec]))
  const running = new Map<string, { instance: Instance; usedAt: number }>()
  const all = new Set<Instance>()
  const programs = options.mode === 'inline' ? undefined : await compilePrograms(options.cacheDir)
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
      if (spec === undefined) throw new Error(`no function is called ${name}`)
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
        // A schedule works for some milliseconds a minute: what it holds in between is given back.
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
