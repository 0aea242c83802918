import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { dynamoTable } from '#shared/platform/table/dynamo.ts'
import { createTable } from '#stacks/local/table/create.ts'
import { type Callers, type Kind, requestText } from './callers.ts'
import { type Child, startChild } from './child.ts'
import { startPeer } from './peer.ts'

/** A server for chat completions, alone on a core. */
export interface Target {
  name: string
  child: Child
  port: number
  request(key: string, kind: Kind): string
}

const file = (path: string) => join(import.meta.dirname, path)
const [measured, other] = [0, 1]

export interface Running {
  load: Child
  provider: Child
  /** The same provider, alone on the measured core. */
  direct: Target
  ours: Target
  /** The same group as a service with plain HTTP. */
  service: Target
  /** A minimal program with the same requests to the same table. */
  bare: Target
  /** A function in the same host that only calls the provider. */
  floor: Target
  embedded: Target
  peer: Target | { missing: string }
  stop(): Promise<void>
}

async function startProvider(core: number): Promise<{ child: Child; port: number }> {
  const child = startChild(core, file('upstream/main.ts'))
  const { port } = (await child.next()) as { port: number }
  return { child, port }
}

async function startOurs(
  name: string,
  args: readonly string[],
  environment: Record<string, string>,
  program = 'host/main.ts',
): Promise<Target> {
  const child = startChild(measured, file(program), args, environment)
  const { port } = (await child.next()) as { port: number }
  return { name, child, port, request: (key, kind) => requestText(key, kind) }
}

/** Starts the embedded database with the callers, on the core of the unmeasured programs. */
async function startDatabase(callers: Callers): Promise<{ child: Child; endpoint: string }> {
  const child = startChild(other, file('database/main.ts'))
  const { endpoint } = (await child.next()) as { endpoint: string }
  Object.assign(process.env, {
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  })
  await createTable(endpoint, 'platform')
  const table = dynamoTable({ tableName: 'platform', endpoint })
  for (const item of callers.items) await table.put(item)
  return { child, endpoint }
}

/** Starts everything. @param dir receives the callers' rows */
export async function startTargets(options: {
  bundles: string
  floorBundles: string
  serviceProgram: string
  dir: string
  callers: Callers
  withPeer: boolean
}): Promise<Running> {
  const { bundles, floorBundles, serviceProgram, dir, callers, withPeer } = options
  const itemsFile = join(dir, 'items.json')
  await writeFile(itemsFile, JSON.stringify(callers.items))
  const load = startChild(other, file('load/main.ts'))
  const provider = await startProvider(other)
  const alone = await startProvider(measured)
  const providerUrl = `http://127.0.0.1:${provider.port}/v1`
  const database = await startDatabase(callers)
  const inMemory = { BENCH_ITEMS: itemsFile }
  // The settings of a service's container (stacks/service-task.ts).
  const container = { ...inMemory, NODE_OPTIONS: '--max-semi-space-size=32' }
  const ours = await startOurs('ours', [bundles, providerUrl, ''], inMemory)
  const service = await startOurs(
    'service',
    [serviceProgram, providerUrl],
    container,
    'service/main.ts',
  )
  const bare = await startOurs('bare', [providerUrl], container, 'bare/main.ts')
  const floor = await startOurs('floor', [floorBundles, providerUrl, ''], {})
  const embedded = await startOurs(
    'ours, embedded database',
    [bundles, providerUrl, database.endpoint],
    {},
  )
  const peer = withPeer ? await startPeer(measured) : { missing: 'left out by --quick' }
  const children = [
    load,
    provider.child,
    alone.child,
    database.child,
    ours.child,
    service.child,
    bare.child,
    floor.child,
    embedded.child,
  ]
  return {
    load,
    provider: provider.child,
    direct: {
      name: 'direct',
      ...alone,
      request: (key, kind) => requestText(key, kind),
    },
    ours,
    service,
    bare,
    floor,
    embedded,
    peer:
      'missing' in peer
        ? peer
        : {
            ...peer,
            request: (key, kind) => requestText(key, kind, peer.headers(providerUrl)),
          },
    async stop() {
      if (!('missing' in peer)) children.push(peer.child)
      await Promise.all(children.map((child) => child.stop()))
    },
  }
}
