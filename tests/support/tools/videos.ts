import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { vi } from 'vitest'
import * as group from '#functions/web/videos.ts'
import { profileKey } from '#shared/accounts/users/user.ts'
import { createLog } from '#shared/platform/log.ts'
import { s3Links } from '#shared/platform/objects/links.ts'
import { s3Objects } from '#shared/platform/objects/s3.ts'
import type { Queues } from '#shared/platform/queues/port.ts'
import { userPartition } from '#shared/platform/table/user-store.ts'
import { configuredVideos } from '#shared/tools/videos/configured.ts'
import type { JobView } from '#shared/tools/videos/schema.ts'
import { tickVideos } from '#shared/tools/videos/tick.ts'
import type { VideoTurn } from '#shared/tools/videos/topic.ts'
import { advanceVideo } from '#shared/tools/videos/work/advance.ts'
import type { VideoWorkContext } from '#shared/tools/videos/work/context.ts'
import { bucket, foldersIn } from '#stacks/local/objects/files.ts'
import { linksKey, objectPages } from '#stacks/local/objects/links.ts'
import { startObjects } from '#stacks/local/objects/server.ts'
import { closeServer, listen } from '#stacks/local/server/listen.ts'
import { password, sessionOf, startAccounts } from '../accounts/accounts.ts'
import { callerOf, type UserCall } from '../http/caller.ts'
import { startVideoProvider } from './video-provider.ts'

interface Answer {
  status: number
  headers: Headers
  body: Record<string, unknown>
}

/** Replaces parts of the world for one turn of the job. */
export type ContextOverrides = Partial<VideoWorkContext>

/** A key that no response may contain. */
export const videoApiKey = 'sk-proj-of-the-tests-0123456789'

/**
 * Starts the routes of videos and their job over a table, an object store and a provider of their own. Messages wait
 * until the test lets time pass.
 */
export async function startVideos() {
  const dir = await mkdtemp(join(tmpdir(), 'videos-'))
  const [accounts, provider, objectStore] = await Promise.all([
    startAccounts(),
    startVideoProvider(),
    startObjects({ dir }),
  ])
  const { table } = accounts
  const sent: { message: VideoTurn; at: number }[] = []
  const queues: Queues<'videos' | 'webhook-deliveries'> = {
    send: async (_topic, message, { delaySeconds = 0 } = {}) =>
      void sent.push({ message: message as VideoTurn, at: Date.now() + delaySeconds * 1000 }),
    sendAll: async (topic, messages) => {
      for (const message of messages) await queues.send(topic, message)
    },
  }
  const settings = {
    deployed: false,
    VIDEO_API_URL: provider.url,
    VIDEO_API_KEY: videoApiKey,
    VIDEO_MODEL: 'sora-2',
  }

  const key = linksKey('the encryption key of the tests')
  let pages: ReturnType<typeof objectPages> | undefined
  const surface = createServer((request, response) => {
    void pages?.serve(request, response, new URL(request.url ?? '/', 'http://surface'))
  })
  const webUrl = `http://localhost:${await listen(surface, 0)}`
  pages = objectPages({ dir, key, webUrl })
  const links = s3Links({ OBJECT_LINKS_KEY: key, OBJECTS_BUCKET: bucket, WEB_URL: webUrl })
  const store = s3Objects({ S3_ENDPOINT: objectStore.endpoint, OBJECTS_BUCKET: bucket })

  /** Starts the function as another process would run it. */
  function startProcess(given: Partial<group.Services> = {}) {
    const services = { table, queues, links, config: settings, planCaps: {}, ...given }
    const call = callerOf(group, services)
    return async (method: string, path: string, options?: UserCall): Promise<Answer> => {
      const answer = await call(method, path, options)
      const { status, headers } = answer
      return { status, headers, body: (await answer.json()) as Answer['body'] }
    }
  }
  const call = startProcess()

  const work: VideoWorkContext = {
    table,
    queues,
    provider: configuredVideos(settings),
    objectStore: store,
    log: createLog({ function: 'videos' }),
  }

  const world = {
    ...accounts,
    provider,
    settings,
    dir,
    sent,
    queues,
    work,
    webUrl,
    startProcess,
    call,

    /** Creates a signed-in user with this state of subscription. */
    async newUser(status = 'active'): Promise<{ id: string; session: string; email: string }> {
      const email = `director-${randomUUID()}@b.co`
      const user = await accounts.signUp(email)
      await table.update(
        { pk: userPartition(user.id), sk: profileKey },
        { set: { subscription: { id: null, status, customerId: null } } },
      )
      return { ...user, email }
    },

    async signIn(email: string): Promise<string> {
      return sessionOf(
        await accounts.call('POST', '/api/auth/login', { body: { email, password } }),
      )
    },

    async order(session: string, body: Record<string, unknown> = {}): Promise<string> {
      const options = { session, body: { prompt: 'a cat on a boat', ...body } }
      const { status, body: answer } = await call('POST', '/api/generate-video', options)
      if (status !== 202) throw new Error(`${status} ${JSON.stringify(answer)}`)
      return String(answer.jobId)
    },

    async job(session: string, jobId: string): Promise<JobView> {
      return (await call('GET', `/api/jobs/${jobId}`, { session })).body as unknown as JobView
    },

    /** Runs one turn of the job. */
    turn: (message: VideoTurn, given: ContextOverrides = {}) =>
      advanceVideo({ ...work, ...given }, message),

    /**
     * Takes the next due message, after the time until then has passed.
     * @returns false if no message waits
     */
    async next(given: ContextOverrides = {}): Promise<boolean> {
      sent.sort((one, other) => one.at - other.at)
      const first = sent.shift()
      if (first === undefined) return false
      vi.setSystemTime(Math.max(Date.now(), first.at))
      await world.turn(first.message, given)
      return true
    },

    tick: () => tickVideos({ table, queues }),

    /** Runs turns until a job has ended. */
    async until(session: string, jobId: string, given: ContextOverrides = {}): Promise<JobView> {
      for (let turns = 0; turns < 400; turns++) {
        const job = await world.job(session, jobId)
        if (job.status === 'completed' || job.status === 'failed') return job
        if (await world.next(given)) continue
        vi.setSystemTime(Date.now() + 60_000)
        await world.tick()
      }
      throw new Error(`not finished: ${JSON.stringify(await world.job(session, jobId))}`)
    },

    /** Returns the complete files, and the remains of others. */
    files: () => filesIn(foldersIn(dir).whole),
    parts: () => filesIn(foldersIn(dir).parts),

    async close() {
      provider.close()
      await closeServer(surface, 0)
      await Promise.all([accounts.close(), objectStore.close()])
      await rm(dir, { recursive: true })
    },
  }
  return world
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name)
}

export type VideoWorld = Awaited<ReturnType<typeof startVideos>>
