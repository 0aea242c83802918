import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FilesServices } from '#functions/common/files-services.ts'
import * as group from '#functions/web/files.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import type { AgentTimeouts } from '#shared/agents/agent-gateway/request.ts'
import { collectPacks } from '#shared/agents/files/collection/collect.ts'
import { fileCollections } from '#shared/agents/files/collection/topic.ts'
import { removeFiles } from '#shared/agents/files/remove.ts'
import { tickFiles } from '#shared/agents/files/tick.ts'
import { settleUploads } from '#shared/agents/files/uploads/settle.ts'
import { fileUploads } from '#shared/agents/files/uploads/topic.ts'
import { agentRows } from '#shared/agents/record/rows.ts'
import { createLog } from '#shared/platform/log.ts'
import type { Mail } from '#shared/platform/mail/port.ts'
import { s3Links, s3UploadLinks } from '#shared/platform/objects/links.ts'
import { s3PartialObjects } from '#shared/platform/objects/partial.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { userPartition, userStore } from '#shared/platform/table/user-store.ts'
import { bucket, foldersIn } from '#stacks/local/objects/files.ts'
import { linksKey, objectPages } from '#stacks/local/objects/links.ts'
import { notificationOf } from '#stacks/local/objects/notify.ts'
import { startObjects } from '#stacks/local/objects/server.ts'
import { closeServer, listen } from '#stacks/local/server/listen.ts'
import { startAccounts } from '../accounts/accounts.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { platformOver } from '../http/platform-over.ts'
import { useLocalCredentials } from '../platform/credentials.ts'
import { putAgent } from './agent-rows.ts'

/** WALLET_ENCRYPTION_KEY of the tests. */
export const encryptionKey = 'an encryption key that is long enough'

interface Sent {
  queue: string
  body: unknown
  delaySeconds: number
}

/**
 * Starts the routes of agents' files and their jobs over a table and an object store of their own. Messages wait in
 * `sent` until a test delivers them.
 */
export async function startFiles({ timeouts }: { timeouts?: AgentTimeouts } = {}) {
  useLocalCredentials()
  const dir = await mkdtemp(join(tmpdir(), 'files-'))
  const [accounts, engine] = await Promise.all([startAccounts(), startObjects({ dir })])
  const { table } = accounts
  const sent: Sent[] = []
  const mails: Mail[] = []
  const queues: Queues = {
    send: async ({ queue }, body, { delaySeconds = 0 } = {}) =>
      void sent.push({ queue, body, delaySeconds }),
    sendAll: async (topic, bodies) => {
      for (const body of bodies) await queues.send(topic, body)
    },
  }
  const key = linksKey('the encryption key of the tests')
  let pages: ReturnType<typeof objectPages> | undefined
  const surface = createServer((request, response) => {
    void pages?.serve(request, response, new URL(request.url ?? '/', 'http://surface'))
  })
  const webUrl = `http://localhost:${await listen(surface, 0)}`
  const onCreated = async (object: Parameters<typeof notificationOf>[0]) =>
    void sent.push({ queue: 'file-uploads', body: notificationOf(object), delaySeconds: 0 })
  pages = objectPages({ dir, key, webUrl, onCreated })
  const settings = { OBJECT_LINKS_KEY: key, OBJECTS_BUCKET: bucket, WEB_URL: webUrl }
  const packs = s3PartialObjects({ S3_ENDPOINT: engine.endpoint, OBJECTS_BUCKET: bucket })
  const services = {
    table,
    packs,
    links: s3Links(settings),
    uploadLinks: s3UploadLinks(settings),
    queues,
    mailer: { send: async (mail: Mail) => void mails.push(mail) },
    webUrl,
    adminEmails: ['admin@b.co'],
    encryptionKey,
    timeouts,
  }
  const job = { ...services, log: createLog({ function: 'files' }) }
  const call = callerOf<FilesServices>(group, services)

  const world = {
    ...accounts,
    table,
    packs,
    job,
    sent,
    mails,
    call,

    /** Creates a signed-in user with a plan, and an agent. */
    async newOwner(plan = 'solo') {
      const user = await accounts.signUp(`files-${++owners}@b.co`)
      await world.set(user.id, {
        plan,
        subscription: { id: null, status: 'active', customerId: null },
      })
      const agent = await putAgent(table, user.id, { status: 'stopped', desired: 'stopped' })
      return ownerOf(user, agent.id)
    },

    /** Changes attributes of a user's account. */
    async set(userId: string, attributes: Record<string, unknown>): Promise<void> {
      await table.update({ pk: userPartition(userId), sk: profileKey }, { set: attributes })
    },

    /** Gives a user this storage in bytes, by an upgrade of a part of a GB and no plan. */
    limitStorage: (userId: string, bytes: number) =>
      world.set(userId, {
        plan: 'free',
        storage: {
          gb: bytes / 1024 ** 3,
          subscriptionId: null,
          status: 'active',
          customerId: null,
          since: 0,
          orderId: 'o',
        },
      }),

    /** Handles all waiting messages of files' queues, delayed ones too. */
    async work(now?: number): Promise<void> {
      for (const { queue, body } of sent.splice(0)) {
        if (queue === 'file-uploads')
          await settleUploads(job, fileUploads.schema().parse(body), now)
        if (queue === 'file-collections')
          await collectPacks(job, fileCollections.schema().parse(body), now)
      }
    },

    /** Lets time pass for the tick and the jobs. */
    async laterBy(ms: number): Promise<void> {
      const now = Date.now() + ms
      await tickFiles({ table, queues }, now)
      await world.work(now)
    },

    tick: (now?: number) => tickFiles({ table, queues }, now),

    /** Deletes an agent as the provisioning job does. */
    async deleteAgent(userId: string, agentId: string): Promise<void> {
      const store = userStore(table, userId)
      await table.update(agentRows.key({ userId, agentId }), { set: { deleting: true } })
      await removeFiles({ table, store, agentId, deadline: Infinity })
      await table.delete(agentRows.key({ userId, agentId }))
      await table.delete({ pk: `agent#${agentId}`, sk: 'owner' })
    },

    /** Returns the keys of all objects of an agent. */
    async objects(agentId: string): Promise<string[]> {
      const folder = join(foldersIn(dir).whole, 'files', agentId)
      const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
        () => [],
      )
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name)
    },

    async close() {
      await closeServer(surface, 0)
      await Promise.all([accounts.close(), engine.close()])
      await rm(dir, { recursive: true })
    },
  }
  let owners = 0

  /** Returns the calls of a user for one agent. */
  function ownerOf({ id, session }: { id: string; session: string }, agentId: string) {
    const base = `/api/agents/${agentId}/files`
    const content = (path: string) => `${base}/content?${new URLSearchParams({ path })}`
    const ask = async (method: string, address: string, options: UserCall = {}) => {
      const answer = await call(method, address, { session, ...options })
      const body = (await answer.json()) as Record<string, unknown>
      return { status: answer.status, headers: answer.headers, body }
    }
    return {
      id,
      session,
      agentId,
      base,
      content,
      ask,
      client: platformOver(call, { session }),
      put: (path: string, text: string | Uint8Array<ArrayBuffer>, headers = {}) =>
        ask('PUT', content(path), {
          bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text,
          headers: { 'content-type': 'application/octet-stream', ...headers },
        }),
      get: (path: string, headers = {}) => call('GET', content(path), { session, headers }),
      text: async (path: string) => (await call('GET', content(path), { session })).text(),
      delete: (path: string, more = '', headers = {}) =>
        ask('DELETE', content(path) + more, { headers }),
      move: (from: string, to: string, overwrite?: boolean) =>
        ask('POST', `${base}/move`, { body: { from, to, overwrite } }),
      list: (query: Record<string, string> = {}) =>
        ask('GET', `${base}?${new URLSearchParams(query)}`),
      upload: (path: string, size: unknown) =>
        ask('POST', `${base}/uploads`, { body: { path, size } }),
      storage: async () => (await ask('GET', '/api/storage')).body,
    }
  }

  return world
}

export type FilesWorld = Awaited<ReturnType<typeof startFiles>>
export type FilesOwner = Awaited<ReturnType<FilesWorld['newOwner']>>
