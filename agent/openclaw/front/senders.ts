import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Hono } from 'hono'
import * as z from 'zod'
import type { Env } from '../../gateway/http/app.ts'
import { check, readBody, revisionQuery } from '../../gateway/http/input.ts'
import { jsonIn } from '../../gateway/http/json.ts'
import { notFound } from '../../gateway/http/problem.ts'
import { RevisionFence } from '../../gateway/workspace/revision-fence.ts'
import type { LiveConfig } from './live-config.ts'
import { withRpc } from './rpc.ts'
import type { FrontSettings } from './settings.ts'

/** The lifetime of a code from OpenClaw (its docs, channels/pairing). */
const codeMs = 3_600_000

const channel = z.enum(['discord'])

const ids = z.array(z.string().regex(/^\d{1,20}$/)).max(1000)

/** A platform of an earlier release sends no `blocked`. */
const decided = z.object({ approved: ids, blocked: ids.default([]) })

interface WaitingRow {
  request_id: string
  code: string
  created_at: string
  meta_json: string | null
}

const meta = z.looseObject({
  senderId: z.string().optional(),
  name: z.string().optional(),
  username: z.string().optional(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  tag: z.string().optional(),
})

const waitingList = z.object({
  requests: z.array(
    z.looseObject({ requestId: z.string(), accountId: z.string(), senderId: z.string() }),
  ),
})

/**
 * The routes for senders of OpenClaw's bots. `GET /senders/:channel` lists the waiting senders with their codes.
 * `PUT /senders/:channel` sets all approved senders, and dismisses the requests of approved and blocked ones. A `?revision=` that is older than the last one changes nothing.
 */
export function senderRoutes({
  settings,
  port,
  config,
}: {
  settings: FrontSettings
  port: number
  config: LiveConfig
}) {
  const { stateDir, token } = settings
  const fence = new RevisionFence()

  function channelNamed(name: string): z.output<typeof channel> {
    const known = channel.safeParse(name).data
    if (known === undefined || !settings.channels[known]) throw notFound('Channel')
    return known
  }

  /** Three senders can wait at a bot. A decision frees a place. */
  async function dismiss(name: string, known: readonly string[]): Promise<void> {
    await withRpc({ port, token }, async (call) => {
      const { requests } = waitingList.parse(await call('channels.pairing.list', { channel: name }))
      for (const { requestId, accountId, senderId } of requests)
        if (known.includes(senderId))
          await call('channels.pairing.dismiss', { channel: name, accountId, requestId })
    })
  }

  return new Hono<Env>()
    .get('/senders/:channel', async (c) =>
      c.json({ senders: await readWaiting(stateDir, channelNamed(c.req.param('channel'))) }),
    )
    .put('/senders/:channel', async (c) => {
      const name = channelNamed(c.req.param('channel'))
      const { revision } = check(revisionQuery, c.req.query())
      const { approved, blocked } = await readBody(c, decided)
      await fence.change(name, revision, async () => {
        await config.setSenders(name, approved)
        const known = [...approved, ...blocked]
        const waits = (await readWaiting(stateDir, name)).some(({ id }) => known.includes(id))
        if (waits) await dismiss(name, known)
      })
      return c.json({ success: true })
    })
}

/**
 * Returns the waiting senders with their codes. OpenClaw's methods do not return codes, so they are read from its
 * database (its docs, channels/pairing).
 */
async function readWaiting(stateDir: string, name: z.output<typeof channel>) {
  const path = join(stateDir, 'state', 'openclaw.sqlite')
  if (!existsSync(path)) return []
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { readOnly: true, timeout: 2000 })
  try {
    const hasTable = database
      .prepare("SELECT 1 FROM sqlite_master WHERE name = 'channel_pairing_requests'")
      .get()
    if (hasTable === undefined) return []
    const rows = database
      .prepare(
        'SELECT request_id, code, created_at, meta_json FROM channel_pairing_requests WHERE channel_key = ? ORDER BY created_at',
      )
      .all(name) as unknown as WaitingRow[]
    return rows
      .filter(({ created_at: at }) => Date.now() - Date.parse(at) < codeMs)
      .map(({ request_id: id, code, meta_json: json }) => {
        const data = meta.safeParse(jsonIn(json ?? '{}')).data ?? {}
        return { id: data.senderId ?? id, name: nameOf(data), code }
      })
  } finally {
    database.close()
  }
}

function nameOf(data: z.output<typeof meta>): string | null {
  const full = [data.firstName, data.lastName].filter(Boolean).join(' ')
  const handle = data.username ?? data.tag
  const name = data.name ?? full
  if (handle === undefined || handle === name) return name || null
  return name === '' ? `@${handle}` : `${name} (@${handle})`
}
