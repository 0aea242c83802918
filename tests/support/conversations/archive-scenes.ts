import { unpack } from '#shared/conversations/agent-archives/zip/unpack.ts'
import { everyTask } from '#shared/conversations/scheduled-tasks/task.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { zipOf } from '../platform/zip.ts'
import type { startRestorePoints } from './restore-points.ts'

type World = Awaited<ReturnType<typeof startRestorePoints>>

const zipType = { 'content-type': 'application/zip' }

/** Returns the files of a zip as text. */
export async function filesIn(zip: Uint8Array): Promise<Record<string, string>> {
  const bounds = { bytes: 1e9, entries: 1e6, takes: () => true }
  const { files } = await unpack(zip, bounds)
  return Object.fromEntries([...files].map(([path, bytes]) => [path, bytes.toString()]))
}

/** Returns the files that an imported agent has, from the files of its archive: its schedules are disabled. */
export const asImported = (files: Record<string, string>) => ({
  ...files,
  'schedules.json': files['schedules.json']?.replaceAll('"enabled": true', '"enabled": false'),
})

/**
 * A valid `agent.json`.
 * @param over fields with another value
 */
export const agentJson = (over: object = {}) =>
  JSON.stringify({
    format: 'agent-archive',
    version: 1,
    name: 'Bo',
    model: 'claude-opus-4-6',
    plan: 'solo',
    aiProvider: 'anthropic',
    config: {},
    ...over,
  })

/** Packs an archive of text files, by path. */
export const archiveOf = (files: Record<string, string>) =>
  zipOf(
    Object.entries({ 'agent.json': agentJson(), ...files }).map(([name, content]) => ({
      name,
      content,
    })),
  )

/** Returns an object nested to this depth. */
export function nested(depth: number): object {
  return depth === 0 ? {} : { a: nested(depth - 1) }
}

/** Returns a `skills.json` with these skills. */
export function skillsOf(...ids: string[]): Record<string, string> {
  const skills = ids.map((id) => ({ id, version: '1.0.0', enabled: true }))
  return { 'skills.json': JSON.stringify(skills) }
}

export function usageOf(count: number) {
  return { prompt_tokens: count, completion_tokens: 0, total_tokens: count }
}

/** Returns the steps that tests of archives share. */
export function archiveScenes(world: World, user: () => { id: string; session: string }) {
  const take = async (id: string, session = user().session) => {
    const answer = await world.call('GET', `/api/agents/${id}/export`, { session })
    const body = new Uint8Array(await answer.arrayBuffer())
    if (answer.status !== 200) throw new Error(Buffer.from(body).toString())
    return body
  }

  const bring = async (bytes: Uint8Array, headers: object = {}, session = user().session) => {
    const own = new Uint8Array(bytes)
    const options = { session, bytes: own, headers: { ...zipType, ...headers } }
    const answer = await world.call('POST', '/api/agents/import', options)
    const body = (await answer.json()) as Record<string, unknown> & { agent?: { id: string } }
    return { status: answer.status, body, id: body.agent?.id ?? '' }
  }

  const copy = async (id: string, body: object = { name: 'Twin' }, session = user().session) => {
    const answer = await world.call('POST', `/api/agents/${id}/duplicate`, { session, body })
    const said = (await answer.json()) as Record<string, unknown> & { agent?: { id: string } }
    return { status: answer.status, body: said, id: said.agent?.id ?? '' }
  }

  /** Returns everything that a refused request could have left behind. */
  const left = async () => {
    const store = userStore(world.table, user().id)
    const { items } = await store.query({})
    const kinds = ['agent#', 'restore#', 'snapshot#', 'memory#', 'skill#', 'message#', 'task#']
    const own = items.filter(({ sk }) => kinds.some((kind) => sk.startsWith(kind)))
    const profile = await store.get('profile')
    return { rows: own.map(({ sk }) => sk), count: profile?.agentCount ?? 0 }
  }

  const tasksOf = async (agentId: string) =>
    (await everyTask(userStore(world.table, user().id))).filter((one) => one.agentId === agentId)

  return { take, bring, copy, left, tasksOf }
}
