import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { familyImage } from './definitions/container.ts'
import { registerFamily } from './definitions/store.ts'
import type { Engine, SimulatedFaults } from './engine.ts'
import type { Family, Image } from './family.ts'
import { dropStopped } from './lifecycle/drop.ts'
import { recover } from './lifecycle/recover.ts'
import { Semaphore } from './lifecycle/semaphore.ts'
import { shutDown } from './lifecycle/shut-down.ts'
import { listVolumes, removeVolume } from './lifecycle/volumes.ts'
import { readLast, type LogLine } from './logs/read.ts'
import type { EventBridgeEvent } from './outbox/event.ts'
import { Outbox } from './outbox/outbox.ts'
import { openStore } from './store/open.ts'
import { createEcsServer } from './wire/serve.ts'

export interface ContainersOptions {
  /** The folder of the engine's state: database, logs/<task id>.<n>.log, volumes/<startedBy>. */
  dir: string
  /** Default: a free port. */
  port?: number
  /** The required access key id; without it, every id passes. */
  accessKeyId?: string | undefined
  /** Default us-east-1. */
  region?: string
  /** Default 000000000000. */
  account?: string
  cluster: string
  /** The task definition families. Each is registered as `<name>:1`, and again when it changes. */
  families: Record<string, Family>
  /** The commands of additional images. A task with an unknown image cannot be started. */
  images?: Record<string, Image>
  /** Receives every change of every task, in order, at least once. A rejected event is retried. */
  onTaskEvent: (event: EventBridgeEvent) => Promise<void>
  /** The time that stopped tasks stay visible, in milliseconds. Default one hour. */
  stoppedRetentionMs?: number
  /** The maximum number of live tasks; RunTask returns failures beyond it. Default: no limit. */
  capacity?: () => number
  /** Faults of AWS that a test simulates. Default: none. */
  trouble?: () => SimulatedFaults
  /** Returns epoch milliseconds; default the system clock. */
  clock?: () => number
}

export interface Containers {
  endpoint: string
  port: number
  /** Returns the last `limit` lines (default 100) of a task's output, oldest first. */
  readLogs(taskId: string, options?: { limit?: number }): Promise<LogLine[]>
  /** Returns the `startedBy` values that have a volume. */
  listVolumes(): Promise<string[]>
  /** Removes a volume, unless a task that uses it lives. @returns whether it is gone */
  removeVolume(startedBy: string): Promise<boolean>
  /** Stops every task and the engine within 8 seconds. Undelivered events are kept. */
  close(): Promise<void>
}

const dropEveryMs = 60_000

/**
 * Starts a container engine on 127.0.0.1 that implements the ECS API and runs tasks as processes of this machine (Linux
 * or macOS). First ends what an earlier engine left behind in `dir`.
 * @throws Error if another engine holds `dir` or the port is in use
 */
export async function startContainers(options: ContainersOptions): Promise<Containers> {
  const { dir, families, stoppedRetentionMs = 60 * 60 * 1000 } = options
  const store = openStore(dir)
  const engine: Engine = {
    dir,
    region: options.region ?? 'us-east-1',
    account: options.account ?? '000000000000',
    cluster: options.cluster,
    store,
    outbox: new Outbox(store, options.onTaskEvent),
    running: new Map(),
    launching: new Set(),
    images: new Map([[familyImage, {}], ...Object.entries(options.images ?? {})]),
    launches: new Semaphore(Math.max(8, 4 * availableParallelism())),
    capacity: options.capacity ?? (() => Infinity),
    trouble: options.trouble ?? (() => ({})),
    clock: options.clock ?? Date.now,
    closing: false,
  }
  const server = createEcsServer(engine, options.accessKeyId)
  try {
    await recover(engine)
    for (const [name, family] of Object.entries(families)) registerFamily(engine, name, family)
    await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening')
  } catch (error) {
    store.close()
    throw error
  }
  const drop = () => dropStopped(engine, stoppedRetentionMs)
  drop()
  const dropping = setInterval(drop, Math.min(dropEveryMs, stoppedRetentionMs)).unref()
  engine.outbox.start()
  const { port } = server.address() as AddressInfo

  const close = async () => {
    clearInterval(dropping)
    server.close()
    await shutDown(engine)
    server.closeAllConnections()
    await engine.outbox.close()
    store.close()
  }
  let closing: Promise<void> | undefined
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    readLogs: async (taskId, { limit = 100 } = {}) =>
      (await readLast(dir, taskId, limit))?.lines ?? [],
    listVolumes: () => listVolumes(engine),
    removeVolume: (startedBy) => removeVolume(engine, startedBy),
    close: () => (closing ??= close()),
  }
}
