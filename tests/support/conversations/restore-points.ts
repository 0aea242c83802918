import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as archives from '#functions/web/agent-archives.ts'
import * as instances from '#functions/web/agent-lifecycle.ts'
import * as agents from '#functions/web/agents.ts'
import * as chat from '#functions/web/chat.ts'
import * as files from '#functions/web/files.ts'
import * as group from '#functions/web/restore-points.ts'
import * as workspace from '#functions/web/workspace.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { collectPacks } from '#shared/agents/files/collection/collect.ts'
import { fileCollections } from '#shared/agents/files/collection/topic.ts'
import { tickFiles } from '#shared/agents/files/tick.ts'
import { runExport } from '#shared/conversations/agent-archives/exports/run.ts'
import { agentExports } from '#shared/conversations/agent-archives/exports/topic.ts'
import { tickArchives } from '#shared/conversations/agent-archives/tick.ts'
import { unpackStored } from '#shared/conversations/agent-archives/unpack-files.ts'
import { createDaily } from '#shared/conversations/restore-points/daily.ts'
import {
  snapshotBeforeDeletion,
  snapshotBeforeUpdate,
} from '#shared/conversations/restore-points/on-deleted.ts'
import { tickRestorePoints } from '#shared/conversations/restore-points/tick.ts'
import { restorePoints } from '#shared/conversations/restore-points/topic.ts'
import { executeRestore } from '#shared/conversations/restore-points/work/execute.ts'
import { createLog } from '#shared/platform/log.ts'
import { s3Links, s3UploadLinks } from '#shared/platform/objects/links.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import { s3Objects } from '#shared/platform/objects/s3.ts'
import { s3WholeObjects } from '#shared/platform/objects/whole.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { bucket } from '#stacks/local/objects/files.ts'
import { linksKey, objectPages } from '#stacks/local/objects/links.ts'
import { startObjects } from '#stacks/local/objects/server.ts'
import { closeServer, listen } from '#stacks/local/server/listen.ts'
import { startAccounts } from '../accounts/accounts.ts'
import { startFleet } from '../agents/fleet.ts'
import { callerOf } from '../http/caller.ts'
import { useLocalCredentials } from '../platform/credentials.ts'

/**
 * Starts the routes of agents and their restore points, with the jobs behind them, over a fleet and an object store of
 * their own.
 */
export async function startRestorePoints() {
  useLocalCredentials()
  const fleet = await startFleet()
  const { table, queues, sent, services } = fleet
  const dir = await mkdtemp(join(tmpdir(), 'restore-points-'))
  const [accounts, engine] = await Promise.all([startAccounts({ table }), startObjects({ dir })])
  const objects = s3WholeObjects({ S3_ENDPOINT: engine.endpoint, OBJECTS_BUCKET: bucket })
  // A literal path must come before a path with `:id`.
  const groups = [archives, agents, chat, instances, group, workspace, files]
  const routes = groups.flatMap((one) => one.routes as readonly unknown[])
  const objectStore = s3Objects({ S3_ENDPOINT: engine.endpoint, OBJECTS_BUCKET: bucket })
  const packs = s3PartialObjects({ S3_ENDPOINT: engine.endpoint, OBJECTS_BUCKET: bucket })
  const key = linksKey('the encryption key of the tests')
  let pages: ReturnType<typeof objectPages> | undefined
  const surface = createServer((request, response) => {
    void pages?.serve(request, response, new URL(request.url ?? '/', 'http://surface'))
  })
  const webUrl = `http://localhost:${await listen(surface, 0)}`
  pages = objectPages({ dir, key, webUrl })
  const links = { OBJECT_LINKS_KEY: key, OBJECTS_BUCKET: bucket, WEB_URL: webUrl }
  const forFiles = {
    packs,
    links: s3Links(links),
    uploadLinks: s3UploadLinks(links),
    mailer: { send: async () => {} },
    webUrl,
    adminEmails: services.config.ADMIN_EMAILS,
  }
  const consumer = {
    ...fleet.consumer,
    onDeleted: [snapshotBeforeDeletion(objects), ...fleet.consumer.onDeleted],
    beforeUpdate: snapshotBeforeUpdate(table, objects),
  }

  const world = {
    ...accounts,
    fleet,
    table,
    objects,
    packs,
    sent,
    call: callerOf<never>({ routes } as never, { ...services, ...forFiles, objects } as never),

    /** Creates a signed-in user with a plan. */
    async newUser(email: string, plan = 'solo'): Promise<{ id: string; session: string }> {
      const user = await accounts.signUp(email)
      const subscription = { id: null, status: 'active', customerId: null }
      const key = { pk: userPartition(user.id), sk: profileKey }
      await table.update(key, { set: { plan, subscription } })
      return user
    },

    /** Delivers all waiting messages except starts of containers, and their follow-ups. */
    async work({ now, ...over }: { table?: Table; now?: number } = {}): Promise<void> {
      for (let rounds = 0; rounds < 50 && sent.length > 0; rounds++)
        for (const { queue, body } of sent.splice(0)) {
          if (queue === 'provisioning' && (body.kind === 'delete' || body.kind === 'sweep'))
            await fleet.consume(body, { ...consumer, ...over })
          if (queue === 'restore-points') await world.job(body, over)
          if (queue === 'file-collections')
            await collectPacks(
              { table, packs, queues, log: createLog() },
              fileCollections.schema().parse(body),
              now,
            )
        }
    },

    /** Handles one message of restore points as the job does. */
    async job(body: unknown, over: { table?: Table } = {}): Promise<void> {
      const message = restorePoints.schema().parse(body)
      const ctx = {
        ...services,
        queues,
        objects,
        packs,
        unpackFiles: (source: Parameters<typeof unpackStored>[1], goOn: () => Promise<void>) =>
          unpackStored(packs, source, goOn),
        log: createLog({ function: 'restore-points' }),
        ...over,
      }
      await (message.kind === 'daily' ? createDaily(ctx, message) : executeRestore(ctx, message))
    },

    /** Writes or removes the exports that are waiting, as the job does. */
    async export(now?: number, over: { table?: Table } = {}): Promise<void> {
      const ctx = { table, queues, packs, objectStore, log: createLog(), ...over }
      for (const { queue, body } of sent.splice(0))
        if (queue === 'agent-exports') await runExport(ctx, agentExports.schema().parse(body), now)
    },

    tickArchives: (now?: number) => tickArchives({ table, queues, packs }, now),

    /** Requests the collections of unused packs that are due. */
    tickFiles: (now?: number) => tickFiles({ table, queues }, now),

    tick: (now?: number) => tickRestorePoints({ table, queues, objects }, now),

    async close(): Promise<void> {
      await Promise.all([accounts.close(), engine.close(), closeServer(surface, 0)])
      await fleet.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
  return world
}
