import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { FunctionSpec } from '#shared/manifest/index.ts'
import { FunctionError } from '#stacks/local/functions/errors.ts'
import type { FunctionHost } from '#stacks/local/functions/host.ts'
import { compileCache } from '../support/platform/compile-cache.ts'
import { type RuntimeApi, startRuntimeApi } from './runtime-api.ts'

const client = join(import.meta.dirname, 'client/node_modules/aws-lambda-ric')

/** True if AWS's runtime client is installed and compiled: `fetch.sh`. */
export const hasRuntimeClient = existsSync(join(client, 'rapid-client.node'))

export interface RuntimeHostOptions {
  functions: readonly FunctionSpec[]
  /** The folder that holds `<name>/index.cjs` of every function. */
  bundles: string
  /** Returns the variables of a function, without the ones that Lambda sets for its runtime. */
  environmentOf(spec: FunctionSpec): Promise<Record<string, string>>
}

export interface RuntimeHost extends FunctionHost {
  /** Returns the lines that a function has written. */
  outputOf(name: string): readonly string[]
  /** Returns whether the last response of a function was a stream. */
  streamed(name: string): boolean | undefined
  /** Ends the process of a function. */
  end(name: string): Promise<void>
}

interface Instance {
  api: RuntimeApi
  end(): Promise<void>
}

/** Runs each function in a process of AWS's own runtime client, one invocation at a time. */
export function runtimeHost(options: RuntimeHostOptions): RuntimeHost {
  const instances = new Map<string, Promise<Instance>>()
  const outputs = new Map<string, string[]>()
  const streams = new Map<string, boolean>()

  async function open(name: string): Promise<Instance> {
    const spec = options.functions.find((one) => one.name === name)
    if (spec === undefined) throw new Error(`there is no function ${name}`)
    const output: string[] = []
    outputs.set(name, output)
    const environment = await options.environmentOf(spec)
    const arn = `arn:aws:lambda:us-east-1:000000000000:function:${name}`
    const api = await startRuntimeApi(arn, spec.timeoutSeconds)
    const root = join(options.bundles, name)
    const child = spawn(process.execPath, [join(client, 'index.mjs')], {
      cwd: root,
      env: {
        ...compileCache,
        ...environment,
        _HANDLER: 'index.handler',
        LAMBDA_TASK_ROOT: root,
        AWS_LAMBDA_RUNTIME_API: api.address,
        AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${name}`,
        AWS_LAMBDA_LOG_STREAM_NAME: 'test',
        AWS_LAMBDA_LOG_FORMAT: 'JSON',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const exited = once(child, 'exit')
    child.once('exit', () => {
      const errorMessage = [`${name} ended`, ...output].join('\n')
      api.fail(new FunctionError('exited', { errorType: 'exited', errorMessage, trace: [] }))
    })
    for (const input of [child.stdout, child.stderr])
      createInterface({ input }).on('line', (line) => output.push(line))
    return {
      api,
      async end() {
        child.kill('SIGKILL')
        await exited
        await api.close()
      },
    }
  }

  function instanceOf(name: string): Promise<Instance> {
    const instance = instances.get(name) ?? open(name)
    instances.set(name, instance)
    return instance
  }

  async function end(name: string): Promise<void> {
    const instance = instances.get(name)
    instances.delete(name)
    await (await instance)?.end()
  }

  return {
    async invoke(name, event, invokeOptions = {}) {
      const { api } = await instanceOf(name)
      await api.initialized
      const outcome = await api.invoke(event, invokeOptions)
      streams.set(name, outcome.streamed)
      return outcome
    },
    streamed: (name) => streams.get(name),
    outputOf: (name) => outputs.get(name) ?? [],
    end,
    async close() {
      await Promise.all([...instances.keys()].map(end))
    },
  }
}
