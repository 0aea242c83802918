import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { functions } from '#shared/manifest/index.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { functionEnvironment } from '#stacks/local/functions/environment.ts'
import { createCallers } from '../../../bench/gateway/callers.ts'
import { compileCache } from '../platform/compile-cache.ts'
import { settingsOf } from '../platform/table.ts'
import { testModelVariables } from './model-sets.ts'

const root = join(import.meta.dirname, '../../..')

/** The AI gateway as a container of the service runs it: the built program in a process of its own. */
export interface AiService extends AsyncDisposable {
  url: string
  /** The log lines that it has written, parsed. */
  lines: Record<string, unknown>[]
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
  /** Resolves with its exit code or signal. */
  ended: Promise<number | string>
}

/**
 * Returns the environment variables of a service.
 * @param settings by their names, including DRAIN_SECONDS
 */
export function serviceEnvironment(
  name: string,
  table: Table,
  settings: Record<string, string>,
): Record<string, string> {
  const spec = functions.find((one) => one.name === name)
  if (spec === undefined) throw new Error(`the manifest has no ${name}`)
  const { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: dynamodb } = settingsOf(table)
  const environment = functionEnvironment(spec, {
    bundles: '',
    tableName,
    clusterName: '',
    queueUrls: {} as never,
    endpoints: { dynamodb, sqs: '', ecs: '', ses: '', s3: '', lambda: '' },
    values: settings,
    objectLinksKey: '',
  })
  return { ...environment, ...settings }
}

/** @param settings by their names, including DRAIN_SECONDS */
export async function startAiService(
  table: Table,
  settings: Record<string, string>,
): Promise<AiService> {
  const environment = serviceEnvironment('backend-ai', table, {
    ...testModelVariables,
    ...settings,
  })
  const child = spawn(process.execPath, [join(root, 'dist/services/backend-ai/index.cjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...compileCache, ...environment, HOST: '127.0.0.1', PORT: '0' },
  })
  // `close`, not `exit`: at `exit`, the last output may not have been read yet.
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const lines: AiService['lines'] = []
  const port = await new Promise<unknown>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const fact = JSON.parse(line) as Record<string, unknown>
      lines.push(fact)
      if (fact['message'] === 'listening') resolve(fact['port'])
    })
    void ended.then((how) =>
      reject(new Error(`the service ended: ${how} ${JSON.stringify(lines)}`)),
    )
  })
  return {
    url: `http://127.0.0.1:${String(port)}`,
    lines,
    kill: (signal) => void child.kill(signal),
    ended,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Creates a subscriber with an API key. */
export async function newCaller(table: Table): Promise<{ userId: string; key: string }> {
  const { items, keys } = await createCallers(1, 'solo')
  for (const item of items) await table.put(item)
  return { userId: String(items[0]?.['id']), key: keys[0] ?? '' }
}
