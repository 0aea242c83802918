import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { functions as all } from '#shared/manifest/index.ts'
import type { PlanName } from '#shared/money/plans/plans.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { functionEnvironment } from '#stacks/local/functions/environment.ts'
import { startSurface } from '#stacks/local/surfaces/surface.ts'
import { startHarness } from '#stacks/local/testing/harness.ts'
import { createCallers } from '../../../bench/gateway/callers.ts'
import { startTestTable } from '../platform/table.ts'
import { eventsOf, quotaOf } from './gateway.ts'
import { testModelVariables } from './model-sets.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export interface AiCaller {
  userId: string
  key: string
  /** The official client, with the caller's key and without retries. */
  openai: OpenAI
  /** Anthropic's client, with the caller's key and without retries. */
  anthropic: Anthropic
  /** Returns the usage events of the caller, oldest first. */
  events(): Promise<Item[]>
  quota(): Promise<Item | undefined>
}

export interface AiFunction extends AsyncDisposable {
  /** The address of the backend. */
  url: string
  newCaller(plan?: PlanName): Promise<AiCaller>
  /** Returns every log line of the function. */
  lines(): string[]
}

/** Runs the AI function's bundle in the function host, behind the backend's surface, over a database of its own. */
export async function startAiFunction(values: Record<string, string>): Promise<AiFunction> {
  const functions = all.filter(({ name }) => name === 'backend-ai')
  await using started = new AsyncDisposableStack()
  const db = await startTestTable()
  started.defer(() => db.close())
  const endpoints = { dynamodb: db.endpoint, sqs: '', ecs: '', ses: '', s3: '', lambda: '' }
  const places = { bundles: '', tableName: db.tableName, clusterName: '', queueUrls: {} as never }
  const harness = await startHarness(functions, (spec) =>
    functionEnvironment(spec, { ...places, endpoints, values, objectLinksKey: '' }),
  )
  started.use(harness)
  const { host, lines } = harness
  const surface = await startSurface({
    surface: 'backend',
    // Another function of the surface takes uploads, so all of them receive bodies in base64.
    functions: all.filter(({ name }) => name === 'backend-ai' || name === 'backend-broker'),
    host,
    port: 0,
    onFailure: (name, error) => lines.add(name, `failed: ${String(error)}`),
  })
  started.defer(() => surface.close(0))
  const resources = started.move()
  return {
    url: surface.url,
    async newCaller(plan = 'network') {
      const { items, keys } = await createCallers(1, plan)
      for (const item of items) await db.table.put(item)
      const userId = String(items[0]?.id)
      const apiKey = keys[0] ?? ''
      return {
        userId,
        key: apiKey,
        openai: new OpenAI({ apiKey, baseURL: `${surface.url}/v1`, maxRetries: 0 }),
        anthropic: new Anthropic({ apiKey, baseURL: surface.url, maxRetries: 0 }),
        events: () => eventsOf(db.table, userId),
        quota: () => quotaOf(db.table, userId),
      }
    },
    lines: () => lines.all.map(({ text }) => text),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

/** Starts one for a file of tests, over a provider of its own, with a new caller for each test. */
export function useAiFunction(values: Record<string, string>, plan?: PlanName) {
  const on = {} as { upstream: Upstream; gateway: AiFunction; caller: AiCaller }
  beforeAll(async () => {
    on.upstream = await startUpstream()
    on.gateway = await startAiFunction({
      ...testModelVariables,
      ...values,
      AI_BASE_URL: on.upstream.baseUrl,
    })
  })
  afterAll(async () => {
    await on.gateway[Symbol.asyncDispose]()
    await on.upstream.close()
  })
  beforeEach(async () => {
    on.upstream.reset()
    on.caller = await on.gateway.newCaller(plan)
  })
  return on
}
